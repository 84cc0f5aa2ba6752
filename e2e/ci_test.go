package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// released returns the URL of a folder of releases for curl, with the built binary as the
// newest. It skips if a program is missing.
func released(t *testing.T) (address, archive string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the steps are tried with bash, curl and tar")
	}
	for _, program := range []string{"curl", "tar", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	data, err := os.ReadFile(binary)
	require.NoError(t, err)
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	require.NoError(t, err)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "minigem", Mode: 0o755, Size: int64(len(data))}))
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	top := t.TempDir()
	archive = filepath.Join(top, "latest", "download", fmt.Sprintf("minigem_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH))
	require.NoError(t, os.MkdirAll(filepath.Dir(archive), 0o755))
	require.NoError(t, os.WriteFile(archive, b.Bytes(), 0o600))
	sums := fmt.Sprintf("%x  minigem_other.tar.gz\n%x  %s\n", sha256.Sum256(nil), sha256.Sum256(b.Bytes()), filepath.Base(archive))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(archive), "checksums.txt"), []byte(sums), 0o600))
	return "file://" + top, archive
}

const red = "prompt Look\nfired BeforeTool guard\n\n-- settings.json --\n{}\n-- model --\ntext Hi.\n"

// caseProject returns a folder with a case that passes and, separately, one that fails.
func caseProject(t *testing.T) terminal {
	t.Helper()
	r := newTerminal(t)
	r.write(t, "tests/green.txtar", "prompt Look\nmodel-requests 1\nnot-fired BeforeAgent *\n\n-- settings.json --\n{}\n-- model --\ntext Hi.\n")
	r.write(t, "red/red.txtar", red)
	return r
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

// TestGitHubAction runs the steps of action.yml in bash, as a runner does, with a release
// of the built binary.
func TestGitHubAction(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../action.yml")
	require.NoError(t, err)
	var action struct {
		Name, Description string
		Inputs            map[string]struct{ Description, Default string }
		Runs              struct {
			Using string
			Steps []struct {
				Name, Shell, Run string
				Env              map[string]string
			}
		}
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&action))
	assert.Equal(t, "composite", action.Runs.Using)
	releases, archive := released(t)
	top, err := filepath.Abs("..")
	require.NoError(t, err)
	runs := func(r terminal, inputs map[string]string) (seen string, code int) {
		temp := t.TempDir()
		for _, step := range action.Runs.Steps {
			require.Equal(t, "bash", step.Shell, step.Name)
			assert.NotContains(t, step.Run, "${{", "what inputs hold is never part of a script")
			cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
			cmd.Dir = r.workspace
			cmd.Env = []string{"HOME=" + r.dir, "PATH=" + os.Getenv("PATH"), "RUNNER_TEMP=" + temp}
			for name, value := range step.Env {
				cmd.Env = append(cmd.Env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
					what := expression.FindStringSubmatch(e)[1]
					name, isInput := strings.CutPrefix(what, "inputs.")
					given, isGiven := inputs[strings.Fields(name)[0]]
					switch {
					case what == "github.action_path":
						return top
					case isInput && isGiven:
						return given
					}
					in, ok := action.Inputs[name]
					require.True(t, isInput && ok, e)
					return in.Default
				}))
			}
			out, err := cmd.CombinedOutput()
			seen += string(out)
			if err != nil {
				return seen, cmd.ProcessState.ExitCode()
			}
		}
		return seen, 0
	}
	r := caseProject(t)
	seen, code := runs(r, map[string]string{"releases": releases, "cases": "tests", "args": "--coverage --min 50"})
	assert.Equal(t, 0, code, seen)
	assert.Contains(t, r.read(t, "hooks.xml"), `tests="1" failures="0"`)
	assert.Contains(t, strings.Split(r.read(t, "hooks.html"), "<style>")[0], "<title>Hooks: 1 passed</title>")

	seen, code = runs(r, map[string]string{"releases": releases, "cases": "tests", "args": "--as claude", "page": ""})
	assert.NotContains(t, seen, "--junit", "other agents have no JUnit form")
	assert.NotEqual(t, 42, code, seen)
	seen, code = runs(r, map[string]string{"releases": releases, "cases": "tests red $(touch ran)", "page": "", "junit": ""})
	assert.NotEqual(t, 0, code, seen)
	seen, code = runs(r, map[string]string{"releases": releases, "cases": "tests red", "page": "", "junit": ""})
	assert.Equal(t, 1, code, seen)
	assert.Contains(t, seen, "::error file=red/red.txtar,line=2")
	_, err = os.Stat(filepath.Join(r.workspace, "ran"))
	assert.Error(t, err, "an input is not a command")

	seen, code = runs(r, map[string]string{"releases": releases + "/none"})
	assert.Equal(t, 1, code)
	assert.Contains(t, seen, "get-minigem: cannot get ")
	require.NoError(t, os.WriteFile(archive, []byte("other"), 0o600))
	seen, code = runs(r, map[string]string{"releases": releases})
	assert.Equal(t, 1, code)
	assert.Contains(t, seen, "does not match checksums.txt")
}

// TestGitLabTemplate runs the scripts of the template's job in bash.
func TestGitLabTemplate(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../.ci/gitlab.yml")
	require.NoError(t, err)
	var template struct {
		Variables map[string]string
		Hooks     struct {
			Image        string
			BeforeScript []string `yaml:"before_script"`
			Script       []string
			Artifacts    struct {
				When    string
				Paths   []string
				Reports struct{ Junit string }
			}
		}
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&template))
	releases, _ := released(t)
	get, err := filepath.Abs("../.ci/get-minigem")
	require.NoError(t, err)
	for cases, want := range map[string]int{"tests": 0, "red": 1} {
		r := caseProject(t)
		cmd := exec.CommandContext(t.Context(), "bash", "-eo", "pipefail", "-c", strings.Join(append(template.Hooks.BeforeScript, template.Hooks.Script...), "\n"))
		cmd.Dir = r.workspace
		cmd.Env = []string{"HOME=" + r.dir, "PATH=" + os.Getenv("PATH"), "CI_PROJECT_DIR=" + r.workspace, "MINIGEM_GET=file://" + get, "MINIGEM_RELEASES=" + releases}
		for name, value := range template.Variables {
			if name == "MINIGEM_CASES" {
				value = cases
			}
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out, _ := cmd.CombinedOutput()
		assert.Equal(t, want, cmd.ProcessState.ExitCode(), string(out))
		for _, file := range append(template.Hooks.Artifacts.Paths, template.Hooks.Artifacts.Reports.Junit) {
			assert.NotEmpty(t, r.read(t, file))
		}
	}
}

// TestManualPages: each command has a page with the text of --help, and there are
// completions for three shells.
func TestManualPages(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it is made with bash")
	}
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "bash", "../.ci/man", binary, dir).CombinedOutput()
	require.NoError(t, err, string(out))
	for name, want := range map[string]string{
		"minigem.1": "What the exit code of a run says", "minigem-hooks-test.1": `\-\-shuffle`, "minigem-mcp-add.1": "Usage:", "minigem.bash": "__start_minigem", "minigem.zsh": "#compdef minigem", "minigem.fish": "complete -c minigem",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, name)
		assert.Contains(t, string(data), want, name)
		if filepath.Ext(name) == ".1" {
			assert.NotRegexp(t, `(?m)^'|^\.[^TSnf]`, string(data), name)
		}
	}
}

// TestReleaseConfiguration validates .goreleaser.yaml against goreleaser's own schema.
// MINIGEM_GORELEASER is the folder of its module. .ci/run only downloads the module,
// because building the program takes longer than everything else.
func TestReleaseConfiguration(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("MINIGEM_GORELEASER")
	if dir == "" {
		t.Skip("MINIGEM_GORELEASER does not name goreleaser's module")
	}
	data, err := os.ReadFile(filepath.Join(dir, "www", "docs", "static", "schema.json"))
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(data, &schema))
	resolved, err := schema.Resolve(nil)
	require.NoError(t, err)
	data, err = os.ReadFile("../.goreleaser.yaml")
	require.NoError(t, err)
	for text, valid := range map[string]bool{string(data): true, strings.Replace(string(data), "ldflags:", "ldflag:", 1): false} {
		var config map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &config))
		err := resolved.Validate(config)
		assert.Equal(t, valid, err == nil, "%v", err)
	}
}
