package protocol

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// pathArgs are the arguments that name files, in Claude Code's names. Its hooks read and
// compare absolute paths.
var pathArgs = []string{"file_path", "path", "notebook_path"}

// address matches a URL in a text.
var address = regexp.MustCompile(`https?://[^\s<>"')\]]+`)

// ToolInput returns what hooks of this dialect read as the arguments of the tool that we
// call name: its own names, absolute paths (relative ones are joined to cwd) and values
// such as replace_all, limit or url, which our tools do not have. args is not changed. It
// is returned as it is if the dialect has no name for the tool.
func (d *Dialect) ToolInput(name, cwd string, args map[string]any) map[string]any {
	if _, known := d.Tools[name]; !known {
		return args
	}
	out := make(map[string]any, len(args)+1)
	for k, v := range args {
		if theirs, ok := d.Args[name][k]; ok {
			k = theirs
		}
		if path, ok := v.(string); ok && slices.Contains(pathArgs, k) {
			v = absolute(cwd, path)
		}
		out[k] = v
	}
	switch name {
	case "replace":
		if _, ok := out["replace_all"]; !ok {
			out["replace_all"] = false
		}
	case "read_file":
		first, _ := number(args["start_line"])
		if last, ok := number(args["end_line"]); ok {
			delete(out, "end_line")
			out["limit"] = last - max(first, 1) + 1
		}
	case "web_fetch":
		prompt, _ := args["prompt"].(string)
		if url := strings.TrimRight(address.FindString(prompt), ".,;:!?"); url != "" {
			out["url"] = url
		}
	}
	return out
}

// absolute joins a relative path to cwd. An empty path or cwd changes nothing.
func absolute(cwd, path string) string {
	if path == "" || cwd == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(cwd, path)
}

// outputText returns the text of a tool_response for the model. ok is false unless the
// response has the shape of a command's or of a file that was read.
func outputText(response map[string]any) (text string, ok bool) {
	stdout, ran := response["stdout"].(string)
	if stderr, _ := response["stderr"].(string); ran {
		return strings.Trim(stdout+"\n"+stderr, "\n"), true
	}
	file, _ := response["file"].(map[string]any)
	text, ok = file["content"].(string)
	return text, ok
}

// number returns v if it is a number in decoded JSON or a Go program's arguments.
func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}

// arguments translates given, the arguments that a hook of this dialect returned for the
// tool that we call name, into ours. input is the event in our form: arguments that the
// hook did not change stay as the model gave them.
func (d *Dialect) arguments(name string, input []byte, given map[string]any) map[string]any {
	if _, known := d.Tools[name]; !known {
		return given
	}
	var event struct {
		Cwd  string         `json:"cwd"`
		Args map[string]any `json:"tool_input"`
	}
	_ = json.Unmarshal(input, &event) // without it, no argument counts as unchanged
	before, cwd := event.Args, event.Cwd
	shown := d.ToolInput(name, cwd, before)
	out := make(map[string]any, len(given))
	for k, v := range given {
		ours := k
		for from, to := range d.Args[name] {
			if to == k {
				ours = from
			}
		}
		if was, ok := before[ours]; reflect.DeepEqual(shown[k], v) && shown[k] != nil {
			if !ok && k == "replace_all" {
				continue // it was added for the hook to read
			}
			if ok {
				v = was
			}
		}
		out[ours] = v
	}
	if limit, ok := number(given["limit"]); ok && name == "read_file" {
		first, _ := number(out["start_line"])
		out["end_line"] = max(first, 1) + limit - 1
		delete(out, "limit")
	}
	if url, ok := out["url"].(string); ok && name == "web_fetch" {
		delete(out, "url")
		prompt, _ := out["prompt"].(string)
		if was, _ := shown["url"].(string); was != url {
			out["prompt"] = withAddress(prompt, was, url)
		}
	}
	return out
}

// withAddress returns prompt with the address url instead of was.
func withAddress(prompt, was, url string) string {
	if was == "" || !strings.Contains(prompt, was) {
		return strings.TrimSpace(prompt + " " + url)
	}
	return strings.ReplaceAll(prompt, was, url)
}
