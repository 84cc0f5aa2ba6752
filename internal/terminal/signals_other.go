//go:build !unix

package terminal

// watch does nothing: the size of the window is asked for at each drawing, and
// there is no job control.
func (t *Terminal) watch() (stop func()) { return func() {} }
