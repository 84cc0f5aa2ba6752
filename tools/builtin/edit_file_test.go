package builtin

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
	"minigem/tools"
)

// TestEditKeepsTheFile checks that both tools change only the text of a file, whatever
// its form.
func TestEditKeepsTheFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other modes, and links need a privilege")
	}
	full := strings.Repeat("0123456789-bcde\n", (maxFileSize-2)/16)
	full += strings.Repeat("x", maxFileSize-2-len(full)) + "a\n"
	for _, tt := range []struct {
		name, was, want string // "a" becomes "b"
		mode            os.FileMode
	}{
		{"CRLF", "1\r\na\r\n", "1\r\nb\r\n", 0o644},
		{"BOM", "\ufeffa\n", "\ufeffb\n", 0o644},
		{"BOM and CRLF", "\ufeff1\r\na\r\n", "\ufeff1\r\nb\r\n", 0o644},
		{"UTF-16 LE", "\xff\xfea\x00\n\x00", "\xff\xfeb\x00\n\x00", 0o644},
		{"UTF-16 BE", "\xfe\xff\x00a\x00\n", "\xfe\xff\x00b\x00\n", 0o644},
		{"no final newline", "1\na", "1\nb", 0o644},
		{"a script", "a\n", "b\n", 0o755},
		{"a secret", "a\n", "b\n", 0o600},
		{"as large as may be", full, full[:len(full)-2] + "b\n", 0o644},
	} {
		hows := []string{"replace", "write_file", "replace through a link", "write_file through a link"}
		if len(tt.was) == len(full) && thorough.Race {
			hows = hows[1:2] // each of these takes ten seconds then
		}
		for _, how := range hows {
			t.Run(tt.name+" "+how, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				ws := project(t, dir, map[string]string{"f": tt.was})
				require.NoError(t, os.Chmod(filepath.Join(dir, "f"), tt.mode))
				require.NoError(t, os.Symlink("f", filepath.Join(dir, "link")))
				before, err := os.Open(filepath.Join(dir, "f"))
				require.NoError(t, err)
				defer before.Close()

				tool, linked := strings.CutSuffix(how, " through a link")
				path := map[bool]string{false: "f", true: "link"}[linked]
				var failed *tools.Error
				if tool == "replace" {
					_, failed = call(t, Replace(ws), args{"file_path": path, "instruction": "i", "old_string": "a", "new_string": "b"})
				} else {
					text, _ := decodeText([]byte(tt.was))
					text = strings.ReplaceAll(text, "\r\n", "\n")
					_, failed = call(t, WriteFile(ws), args{"file_path": path, "content": strings.Replace(text, "a", "b", 1)})
				}
				require.Nil(t, failed)
				assert.True(t, tt.want == get(t, dir, "f"), "the text")
				info, err := os.Lstat(filepath.Join(dir, "f"))
				require.NoError(t, err)
				assert.Equal(t, tt.mode, info.Mode())
				target, err := os.Readlink(filepath.Join(dir, "link"))
				require.NoError(t, err)
				assert.Equal(t, "f", target)
				old := make([]byte, len(tt.was)+1)
				n, _ := before.Read(old)
				assert.True(t, tt.was == string(old[:n]), "whoever reads it meanwhile reads all of the old text")
			})
		}
	}
}
