// Package publicaddr reports which addresses belong to the public internet.
package publicaddr

import (
	"net/netip"
	"sync"

	"code.dny.dev/ssrf"
)

// guardian holds IANA's registries of special-purpose addresses.
var guardian = sync.OnceValue(func() *ssrf.Guardian { return ssrf.New() })

// Is reports whether a belongs to the public internet. IPv4 addresses mapped to IPv6
// count as IPv4. An address with a zone and the zero Addr are not public.
func Is(a netip.Addr) bool {
	a = a.Unmap()
	return a.Zone() == "" && a.IsGlobalUnicast() && guardian().SafeAddr(a) == nil
}
