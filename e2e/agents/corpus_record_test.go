package agents

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// corpusLine is the outcome of one run of a case of the corpus.
type corpusLine struct {
	Agent   string `json:"agent"`
	Version string `json:"version"`
	Run     int    `json:"run"`
	Name    string `json:"name"`
	State   State  `json:"state"`
	Outcome string `json:"outcome"`
	Millis  int64  `json:"ms"`
}

// corpusRecord is a file of lines to which each run appends.
type corpusRecord struct {
	file  *os.File // nil: nothing is recorded
	done  map[corpusLine]bool
	first map[string]string
}

func openCorpusRecord(path string) (*corpusRecord, error) {
	r := &corpusRecord{done: map[corpusLine]bool{}, first: map[string]string{}}
	if path == "" {
		return r, nil
	}
	if before, err := os.Open(path); err == nil {
		defer before.Close()
		lines := bufio.NewScanner(before)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var l corpusLine
			if json.Unmarshal(lines.Bytes(), &l) == nil { // a truncated line is run again
				r.keep(l)
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var err error
	r.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	return r, err
}

func (r *corpusRecord) keep(l corpusLine) {
	if key := l.Agent + " " + l.Name; r.first[key] == "" {
		r.first[key] = l.Outcome
	}
	r.done[corpusLine{Agent: l.Agent, Version: l.Version, Run: l.Run, Name: l.Name}] = true
}

func (r *corpusRecord) has(agent, version string, run int, name string) bool {
	return r.done[corpusLine{Agent: agent, Version: version, Run: run, Name: name}]
}

func (r *corpusRecord) add(l corpusLine) error {
	r.keep(l)
	if r.file == nil {
		return nil
	}
	data, err := json.Marshal(l)
	if err == nil {
		_, err = r.file.Write(append(data, '\n'))
	}
	return err
}

// TestCorpusRecord: cases that an earlier run recorded are not run again, and later runs
// are compared with them.
func TestCorpusRecord(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	r, err := openCorpusRecord(path)
	require.NoError(t, err)
	require.NoError(t, r.add(corpusLine{"codex", "1.0.0", 1, "pre/none", Pass, "pass", 300}))
	require.NoError(t, r.add(corpusLine{"codex", "1.0.0", 2, "pre/none", Fail, "fail", 300}))
	_, err = r.file.WriteString(`{"agent": "codex", "ver`)
	require.NoError(t, err)
	require.NoError(t, r.file.Close())
	again, err := openCorpusRecord(path)
	require.NoError(t, err)
	defer again.file.Close()
	assert.True(t, again.has("codex", "1.0.0", 2, "pre/none"))
	assert.False(t, again.has("codex", "1.0.1", 2, "pre/none"), "another version")
	assert.False(t, again.has("codex", "1.0.0", 3, "pre/none"))
	assert.Equal(t, map[string]string{"codex pre/none": "pass"}, again.first)
}
