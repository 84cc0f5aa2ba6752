package acp

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
)

// stepName is the first argument of the minigem that an editor runs in a terminal. The
// path of a socket follows, and the command, for people.
const stepName = "minigem-in-terminal"

// shown is what a step is told to print; with Exit it ends so.
type shown struct {
	Show string `json:"show,omitempty"`
	Exit *int   `json:"exit,omitempty"`
}

// A step does its work before the program itself begins.
func init() {
	if len(os.Args) > 2 && os.Args[1] == stepName {
		os.Exit(show(os.Args[2], os.Stdout))
	}
}

// show prints what comes over the socket. Whoever ends it ends the command.
func show(socket string, out io.Writer) (code int) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "minigem: the command that is shown here has ended:", err)
		return 126
	}
	for in := json.NewDecoder(conn); ; {
		var m shown
		if err := in.Decode(&m); err != nil {
			return 1 // minigem is gone, and with it the command
		}
		if _, err := io.WriteString(out, m.Show); err != nil {
			return 1
		}
		if m.Exit != nil {
			return *m.Exit
		}
	}
}
