package terminal

import (
	"os"
	"strings"
	"testing"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func typed(t *testing.T) (*keyboard, func(string)) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	k := newKeyboard(r, false)
	k.resume()
	t.Cleanup(func() {
		k.pause()
		r.Close()
		w.Close()
	})
	return k, func(s string) {
		t.Helper()
		_, err := w.WriteString(s)
		require.NoError(t, err)
	}
}

// read reads n bytes the way the line editor does.
func read(t *testing.T, k *keyboard, n int) string {
	t.Helper()
	var got []byte
	one := make([]byte, 8)
	for len(got) < n {
		m, err := k.Read(one)
		require.NoError(t, err)
		require.Equal(t, 1, m, "nothing is read ahead")
		got = append(got, one[0])
	}
	return string(got)
}

func TestKeysGoToTheVisiblePrompt(t *testing.T) {
	t.Parallel()
	k, press := typed(t)

	interrupted := make(chan struct{}, 1)
	k.enter(working, func(bool) { interrupted <- struct{}{} })
	press("ahead\r")
	waittest.Until(t, func() bool { return k.ahead() == "ahead⏎" })

	k.enter(asking, nil)
	press("n\r")
	for _, want := range []string{"n", "\r"} {
		key, ok := k.answer(t.Context())
		assert.True(t, ok)
		assert.Equal(t, want, key, "what was typed before is not an answer")
	}

	k.enter(prompting, nil)
	press("x")
	assert.Equal(t, "ahead\r", read(t, k, 6))
	k.enter(prompting, nil) // the line may have ended, so the rest is for the next prompt
	assert.Equal(t, "x", read(t, k, 1))

	k.enter(working, func(bool) { interrupted <- struct{}{} })
	press("one\rtwo\nthr")
	waittest.Until(t, func() bool { return k.ahead() == "one⏎two⏎thr" })
	press(keyInterrupt)
	<-interrupted
	press(keyEscape)
	<-interrupted
	press("ee\r")
	waittest.Until(t, func() bool { return k.ahead() == "one⏎two⏎three⏎" })
	press(keyEscape)
	<-interrupted
	k.enter(prompting, nil)
	all := strings.Join([]string{"one", "two", "three"}, string(newlineMark))
	assert.Equal(t, all, read(t, k, len(all)), "an interrupt sends nothing of what was typed ahead, and loses nothing")
	assert.Empty(t, k.ahead())

	k.hangup()
	_, err := k.Read(make([]byte, 1))
	require.Error(t, err)
	_, ok := k.answer(t.Context())
	assert.False(t, ok)
}

func TestPastesAreWhole(t *testing.T) {
	t.Parallel()
	k, press := typed(t)
	k.enter(prompting, nil)
	press("a" + pasteStart + "one\r\ntwo\n\x1b[2J\tthree" + pasteEnd + "b\r")
	want := "aone\ue000two\ue000    threeb\r"
	assert.Equal(t, want, read(t, k, len(want)))
}

func TestSequence(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{
		"a": 1, "\x1b": 0, "\x1b[": 0, "\x1b[A": 3, "\x1b[1;5C": 6, "\x1bOP": 3, "\x1bO": 0, "\x1bb": 2, "\x1b\x1b": 1, "\x1b\x03": 1, "\x1b\x00": 1, "\x1b\r": 2,
	} {
		assert.Equal(t, want, sequence([]byte(in)), "%q", in)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	choices := []Choice{{"Yes", []string{"y", "yes"}, false}, {"All", []string{"a"}, false}, {"No", []string{"n", "no"}, true}}
	for _, c := range []struct {
		said  string
		index int
		words string
		found bool
	}{
		{" 1 ", 0, "", true},
		{"Y", 0, "", true},
		{"2", 1, "", true},
		{"no", 2, "", true},
		{"n use a test", 2, "use a test", true},
		{"n, later", 2, "later", true},
		{"3 later", 2, "later", true},
		// nothing that is not clear allows anything
		{"y but not now", 0, "", false},
		{"yeah", 0, "", false},
		{"4", 0, "", false},
		{"0", 0, "", false},
	} {
		index, words, found := pick(c.said, choices)
		assert.Equal(t, []any{c.index, c.words, c.found}, []any{index, words, found}, "%q", c.said)
	}
}
