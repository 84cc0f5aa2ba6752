// Package publicaddr knows which addresses belong to the public internet.
package publicaddr

import (
	"net/netip"
	"slices"
	"strings"
)

// notPublic lists networks that netip's own predicates do not cover: carrier
// NAT, tests and documentation, and IPv6 networks that embed IPv4 addresses.
var notPublic = func() (ps []netip.Prefix) {
	for _, s := range strings.Fields(`0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 198.18.0.0/15 198.51.100.0/24
		203.0.113.0/24 240.0.0.0/4 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 fec0::/10`) {
		ps = append(ps, netip.MustParsePrefix(s))
	}
	return ps
}()

// Is reports whether an address belongs to the public internet.
func Is(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	return a.IsGlobalUnicast() && !a.IsPrivate() && !a.IsLoopback() && !a.IsLinkLocalUnicast() &&
		!slices.ContainsFunc(notPublic, func(p netip.Prefix) bool { return p.Contains(a) })
}
