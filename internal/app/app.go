// Package app is what every way of using minigem is made of: what is configured
// ([Configure]), and from it the [Runtime], a session with model, tools, hooks
// and policy. It prints nothing: errors are returned, and the rest is reported
// through the [Frontend] that it is given. Flags, screens and formats of output
// are for others.
package app
