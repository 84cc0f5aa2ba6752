// Package demo shows hooks at work on a small broken project, offline: the real
// loop with a scripted model.
package demo
