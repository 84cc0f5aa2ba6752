// Package app contains what every way of using minigem is built from: the
// configuration ([Configure]) and, made from it, the [Runtime], a session with
// model, tools, hooks and policy. It prints nothing: it returns errors, and
// reports everything else through the [Frontend] that it is given. Flags,
// screens and output formats are elsewhere.
package app
