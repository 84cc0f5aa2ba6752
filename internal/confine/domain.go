package confine

import (
	"bytes"
	"errors"
	"os"
)

// errEnded means that the domain was closed.
var errEnded = errors.New("it has ended already")

// CommandLine returns the command line of the process described in dir, such as
// /proc/1. It returns false if the process has ended.
func CommandLine(dir string) (string, bool) {
	stat, err := os.ReadFile(dir + "/stat") // PID (NAME) STATE ...
	at := bytes.LastIndexByte(stat, ')')
	if err != nil || at < 0 || bytes.HasPrefix(stat[at:], []byte(") Z")) || bytes.HasPrefix(stat[at:], []byte(") X")) {
		return "", false
	}
	line, err := os.ReadFile(dir + "/cmdline")
	line = bytes.TrimSpace(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
	if err != nil || len(line) == 0 {
		line = stat[bytes.IndexByte(stat, '(') : at+1]
	}
	const shown = 200
	return string(line[:min(len(line), shown)]), true
}
