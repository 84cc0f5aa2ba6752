package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHooksTestBinary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
		return path
	}
	obedient := program("obedient", strings.Replace(fakeProgram, "SUCCESS", "false", 1))
	wilful := program("wilful", strings.NewReplacer("SUCCESS", "true", `"Tool execution blocked: not yours", "error_type": "policy_violation"`, `""`).Replace(fakeProgram))
	silent := program("silent", "#!/bin/sh\nexit 7\n")
	file := testbedData + "/cases/before_tool_deny.txtar"
	deny, err := os.ReadFile(file)
	require.NoError(t, err)
	known := program("known.txtar", "differs it does as it likes\n"+string(deny))
	tests := []struct {
		program, file string
		code          int
		want          []string
	}{
		{obedient, file, 0, []string{"same ", "1 the same, 0 differ and say why, 0 differ, 0 not available there"}},
		{wilful, file, 1, []string{"DIFFERS ", ": ! tool-ran read_file\n    here:  holds, it did not run", "\n    there: fails, it ran once"}},
		{wilful, known, 0, []string{"KNOWN   ", ": it does as it likes\n", "there: fails, it ran once", "0 the same, 1 differ and say why, 0 differ, "}},
		{obedient, known, 0, []string{"same ", "1 the same, "}},
		{silent, file, 1, []string{": exit 0\n", "there: fails, it is 7", "its telemetry tells of no such run"}},
		{filepath.Join(dir, "none"), file, 1, []string{"looking for the program"}},
		{obedient, testbedData + "/cases/session_resume.txtar", 0, []string{"n/a ", "resume is not available there"}},
		{obedient, testbedData + "/cases/before_agent_context.txtar", 0, []string{"the case has 2 prompts: only one is available there"}},
		{obedient, testbedData + "/cases/model_error.txtar", 0, []string{"requests that fail are not available there"}},
		{obedient, testbedData + "/broken/twice.txtar", 42, nil},
	}
	for _, tt := range tests {
		t.Run(filepath.Base(tt.program)+" "+filepath.Base(tt.file), func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := hooksTest(t, "--binary", tt.program, tt.file)
			assert.Equal(t, tt.code, code, stderr)
			for _, want := range tt.want {
				assert.Contains(t, stdout, want)
			}
		})
	}
}
