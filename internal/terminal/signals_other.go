//go:build !unix

package terminal

// watch does nothing: each drawing asks for the size of the window, and there
// is no job control.
func (t *Terminal) watch() (stop func()) { return func() {} }
