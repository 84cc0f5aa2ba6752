// Command testlog reads what "go test -json" writes and prints what matters of
// it: a line for each package, all that failed tests said, and at the end the
// tests that were skipped, with their reasons. Exit code 1: something failed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// event is a line of "go doc test2json".
type event struct {
	Action, Package, Test, ImportPath, Output string
	Elapsed                                   float64
}

type key struct{ pkg, test string }

func main() {
	l := testlog{out: os.Stdout, said: map[key]*strings.Builder{}, reasons: map[string][]string{}}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		var e event
		switch {
		case line == "":
		case json.Unmarshal([]byte(line), &e) == nil && e.Action != "":
			l.note(e)
		default:
			fmt.Fprint(l.out, line) // of the go command itself
		}
		if err != nil {
			break
		}
	}
	l.summary()
	if l.failed {
		os.Exit(1)
	}
}

type testlog struct {
	out     io.Writer
	said    map[key]*strings.Builder // by tests that have not ended
	reasons map[string][]string      // tests that were skipped, by reason
	failed  bool
}

func (l *testlog) note(e event) {
	k := key{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(l.out, e.Output)
	case "output":
		if l.said[k] == nil {
			l.said[k] = &strings.Builder{}
		}
		l.said[k].WriteString(e.Output)
	case "pass", "skip", "fail":
		l.end(k, e)
		delete(l.said, k)
	}
}

func (l *testlog) end(k key, e event) {
	l.failed = l.failed || e.Action == "fail"
	switch {
	case k.test == "" && e.Action == "fail":
		for left, text := range l.said { // tests that a panic or the timeout ended
			if left.pkg == k.pkg {
				fmt.Fprint(l.out, text)
			}
		}
		fmt.Fprintf(l.out, "FAIL %s %.1fs\n", k.pkg, e.Elapsed)
	case k.test == "" && e.Action == "pass":
		fmt.Fprintf(l.out, "ok   %s %.1fs\n", k.pkg, e.Elapsed)
	case e.Action == "fail" && l.said[k] != nil:
		fmt.Fprint(l.out, l.said[k])
	case e.Action == "skip" && k.test != "":
		reason := "no reason given"
		if m := regexp.MustCompile(`(?m)^\s*\S+\.go:\d+: (.*)$`).FindStringSubmatch(fmt.Sprint(l.said[k])); m != nil {
			reason = m[1]
		}
		l.reasons[reason] = append(l.reasons[reason], k.pkg+" "+k.test)
	}
}

func (l *testlog) summary() {
	if len(l.reasons) == 0 {
		fmt.Fprintln(l.out, "no test was skipped")
	}
	for _, reason := range slices.Sorted(maps.Keys(l.reasons)) {
		fmt.Fprintf(l.out, "skipped: %s\n", reason)
		for _, test := range l.reasons[reason] {
			fmt.Fprintf(l.out, "  %s\n", test)
		}
	}
}
