// Package nettest gives tests what they need of the network.
package nettest

import (
	"net"
	"testing"
)

// Refusing returns a host and port of this machine that refuse connections until t
// ends. The port belongs to a connection, so another test's server cannot get it, as it
// could get the port of a closed listener.
func Refusing(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.LocalAddr().String()
}
