//go:build !unix

package terminal

// watch does nothing. Each drawing asks for the window's size, and there is no job
// control.
func (t *Terminal) watch() (stop func()) { return func() {} }
