package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"minigem/llm"
)

// FuzzPage checks that a web page of any type and content becomes text or an error.
func FuzzPage(f *testing.F) {
	for _, seed := range [][2]string{
		{"<html><body><h1>a</h1><ul><li>b<table><tr><td>c</table><script>x</script>", "text/html"}, {"a\xff", "text/plain; charset=latin1"}, {"{}", "application/json"}, {"\x00", "image/png"}, {strings.Repeat("<div>", 300), "text/html; charset=utf-16"}, {"x", ";"},
		{"<meta charset=shift_jis>\x83\x41", "text/html"},
	} {
		f.Add([]byte(seed[0]), seed[1])
	}
	f.Fuzz(func(t *testing.T, body []byte, kind string) {
		text, err := pageText(body, kind)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.True(t, utf8.ValidString(text), "%q", text)
	})
}

// FuzzGrounding checks that, whatever the API says about an answer's sources, the whole
// answer stays in the text.
func FuzzGrounding(f *testing.F) {
	for _, g := range []string{
		`{"groundingChunks":[{"web":{"uri":"u","title":"t"}}],"groundingSupports":[{"segment":{"startIndex":0,"endIndex":3},"groundingChunkIndices":[0,7,-1]}]}`, `{"groundingChunks":[null],"groundingSupports":[{"segment":{"endIndex":-5}},{"segment":{"endIndex":99999}}]}`, `[]`, `null`,
	} {
		f.Add("abc äöü def", []byte(g))
	}
	f.Fuzz(func(t *testing.T, answer string, grounding []byte) {
		if !utf8.ValidString(answer) {
			return
		}
		out := cited(llm.Chunk{Parts: []llm.Part{llm.Text{Text: answer}}, Grounding: grounding})
		i := 0 // the answer's bytes must appear in order
		for j := 0; j < len(out) && i < len(answer); j++ {
			if out[j] == answer[i] {
				i++
			}
		}
		require.Equal(t, len(answer), i, "%q became %q", answer, out)
		require.True(t, utf8.ValidString(out))
	})
}

// FuzzCommand checks that parsing any command ends, and that its first word is one of
// its words.
func FuzzCommand(f *testing.F) {
	for _, c := range []string{"ls -l | grep x", "echo $(id)", "echo `id", "a=b cat <(x)", "((", "'a'b\"c\" d", "if x; then y; fi", "cat <<E\n$(x)\nE"} {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, command string) {
		require.LessOrEqual(t, len(rootCommand(command)), len(command))
		if substitutes(command) {
			require.True(t, strings.ContainsAny(command, "$`<>"), "%q", command)
		}
	})
}
