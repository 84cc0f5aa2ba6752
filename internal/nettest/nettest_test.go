package nettest_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/internal/nettest"
)

func TestRefusing(t *testing.T) {
	t.Parallel()
	address := nettest.Refusing(t)
	_, err := net.Dial("tcp", address)
	require.ErrorContains(t, err, "connection refused")
	_, err = net.Listen("tcp", address)
	require.ErrorContains(t, err, "address already in use")
}
