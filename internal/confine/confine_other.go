//go:build !linux || !(amd64 || arm64 || riscv64)

package confine

import "errors"

// Start always returns an error: this system cannot confine a process started by one of
// its threads.
func Start(Rules, func() error) error {
	return errors.New("this system has no Landlock, which Linux has from 6.2 on")
}

// ABI returns 0: there is no Landlock.
func ABI() int { return 0 }

// Domain cannot be opened on this system.
type Domain struct{ Limits []string }

// Open always returns an error: see [Start].
func Open(r Rules) (*Domain, error) { return nil, Check(r) }

// Start always returns an error.
func (*Domain) Start([]string, func() error) error { return errEnded }

// Left returns nothing.
func (*Domain) Left() []string { return nil }

// Close does nothing.
func (*Domain) Close() {}
