//go:build !linux

package agents

import (
	"context"
	"errors"
	"runtime"

	"minigem/internal/proc"
)

var insideURL = ""

// Isolate says how agents are isolated here.
func Isolate() Isolation { return Isolation{Why: "there are no namespaces on " + runtime.GOOS} }

func (r *room) runInside(context.Context, proc.Command) (ended, error) {
	return ended{}, errors.New("there are no namespaces here")
}

// withHome returns nothing, because the environment of processes is not readable here.
func withHome(string) []int { return nil }

func nameOf(int) string { return "a process that belongs to its group" }
