//go:build !unix

package terminal

import "os"

// Guard restores the terminal when the program no longer can. It is not supported on
// this system.
type Guard struct{}

// NewGuard returns nil.
func NewGuard(*os.File) *Guard { return nil }

func (g *Guard) arm() {}

// Release does nothing.
func (g *Guard) Release() {}
