package hookstest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// contract returns all cases.
var contract = sync.OnceValue(func() []contractCase {
	words := readWords()
	files, err := filepath.Glob("testdata/*.toml")
	must(err)
	var all []contractCase
	for _, file := range files {
		if filepath.Base(file) == "words.toml" {
			continue
		}
		var written struct{ Case []any }
		decodeTOML(file, &written)
		data, err := json.Marshal(expand(written.Case, words))
		must(err)
		var cases []contractCase
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(&cases); err != nil {
			panic(file + ": " + err.Error())
		}
		all = append(all, cases...)
	}
	for _, c := range all {
		for i := range c.Hooks {
			if h := &c.Hooks[i]; h.Bytes {
				h.Out, h.Err = bytesOf(h.Out), bytesOf(h.Err)
			}
		}
	}
	return all
})

// readWords returns a replacer of the words of testdata/words.toml.
func readWords() *strings.Replacer {
	var written struct {
		Word []struct {
			Name, Text string
			Times      int
		}
	}
	decodeTOML("testdata/words.toml", &written)
	var pairs []string
	for _, w := range written.Word {
		text := strings.NewReplacer(pairs...).Replace(w.Text)
		pairs = append(pairs, "${"+w.Name+"}", strings.Repeat(text, max(w.Times, 1)))
	}
	return strings.NewReplacer(pairs...)
}

func decodeTOML(file string, into any) {
	data, err := os.ReadFile(file)
	must(err)
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(into); err != nil {
		panic(file + ": " + err.Error())
	}
}

// expand returns v with the words in all of its strings replaced.
func expand(v any, words *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return words.Replace(v)
	case []any:
		for i := range v {
			v[i] = expand(v[i], words)
		}
	case map[string]any:
		for k := range v {
			v[k] = expand(v[k], words)
		}
	}
	return v
}

func bytesOf(s string) string {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r))
	}
	return string(out)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
