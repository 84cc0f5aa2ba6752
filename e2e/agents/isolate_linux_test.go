package agents

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/proc"
)

// TestRoom: in a room only the model can be reached, and no process outlives the room.
func TestRoom(t *testing.T) {
	t.Parallel()
	how := Isolate()
	if !how.Namespaces {
		t.Skip("no namespaces here: " + how.Why)
	}
	for _, tt := range []struct {
		name, line, stdout string
		asked, left        int
	}{
		{"the model", `exec 3<>/dev/tcp/127.0.0.1/8089; printf 'GET / HTTP/1.0\r\n\r\n' >&3; tail -1 <&3`, "model", 0, 0},
		{"an address", `(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null || echo no`, "no\n", 0, 0},
		{"a name", `(exec 3<>/dev/tcp/example.com/80) 2>/dev/null || echo no`, "no\n", 1, 0},
		{"a daemon", `setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo yes`, "yes\n", 0, 1},
		{"a program that ends by itself", `setsid sleep 0.1 >/dev/null 2>&1 </dev/null & echo yes`, "yes\n", 0, 0},
		{"exit code", `echo $((1+1)); exit 7`, "2\n", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			r, err := openRoom(how, home, confine.Rules{Write: []string{home}, Attributes: true}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("model")) }))
			require.NoError(t, err)
			defer r.close()
			res, err := r.run(t.Context(), proc.Command{Path: "/bin/bash", Args: []string{"-c", tt.line}, Dir: home, Env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")},
				Out: proc.Limit{Head: 1000}, Err: proc.Limit{Head: 1000}})
			require.NoError(t, err)
			assert.Equal(t, tt.stdout, res.Stdout.String(), res.Stderr.String())
			assert.Len(t, r.wanted(), tt.asked)
			assert.Len(t, res.Left, tt.left, "%q", res.Left)
			assert.Empty(t, withHome(home), "nothing of it runs")
			if tt.name == "exit code" {
				assert.Equal(t, 7, res.ExitCode)
			}
		})
	}
}
