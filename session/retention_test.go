package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRetention(t *testing.T) {
	t.Parallel()
	one, off := 1, false
	cases := []struct {
		name string
		r    Retention
		left string // the prompts of the remaining sessions
	}{
		{"by default 30 days", Retention{}, "3d 8d now"},
		{"a week", Retention{MaxAge: "1w"}, "3d now"},
		{"a count", Retention{MaxCount: &one}, "now"},
		{"a count, but nothing of the last five days", Retention{MaxCount: &one, MinRetention: "5d"}, "3d now"},
		{"off", Retention{Enabled: &off}, "3d 40d 8d now"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			o.NewID = nil
			now := time.Now()
			for prompt, days := range map[string]int{"now": 0, "3d": 3, "8d": 8, "40d": 40} {
				at := now.AddDate(0, 0, -days)
				s := speak(t, o, at, prompt)
				path := fileOf(o.Project, s.ID())
				require.NoError(t, os.Chtimes(path, at, at))
			}
			_, err := Clean(t.Context(), o.Project, c.r, "", now)
			require.NoError(t, err)
			infos, err := List(o.Project)
			require.NoError(t, err)
			left := map[string]bool{}
			for _, i := range infos {
				left[i.Title] = true
			}
			want := map[string]bool{}
			for _, w := range strings.Fields(c.left) {
				want[w] = true
			}
			assert.Equal(t, want, left)
		})
	}
}

func TestRetentionDeletesWhatIsBroken(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := speak(t, o, start, "current")
	broken := filepath.Join(o.Project.Chats(), "session-broken.jsonl")
	empty := filepath.Join(o.Project.Chats(), "session-empty.jsonl")
	require.NoError(t, os.WriteFile(broken, []byte("garbage"), 0o600))
	require.NoError(t, os.WriteFile(empty, []byte(`{"sessionId":"e"}`+"\n"), 0o600))
	now := time.Now()
	young, err := Clean(t.Context(), o.Project, Retention{}, s.ID(), now)
	require.NoError(t, err)
	assert.Empty(t, young)
	removed, err := Clean(t.Context(), o.Project, Retention{}, s.ID(), now.AddDate(0, 0, 60))
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{broken, empty}, removed)
}

// An empty file, as a power failure leaves it, belongs to no session. It is not listed,
// resumed or reported, replaces no other, and is deleted in time.
func TestEmptyFiles(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.NewID = nil
	now := time.Now()
	s := speak(t, o, now.AddDate(0, 0, -3), "said")
	path := fileOf(o.Project, s.ID())
	require.NoError(t, os.Chtimes(path, now.AddDate(0, 0, -3), now.AddDate(0, 0, -3)))
	empty := filepath.Join(o.Project.Chats(), "session-2099-01-01T00-00-aaaaaaaa.jsonl")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))

	infos, err := List(o.Project)
	require.NoError(t, err)
	require.Len(t, infos, 1)
	assert.Equal(t, "said", infos[0].Title)
	for _, which := range []string{Latest, "1", s.ID()} {
		info, err := Find(o.Project, which)
		require.NoError(t, err)
		assert.Equal(t, s.ID(), info.ID)
	}
	_, err = Find(o.Project, "aaaaaaaa")
	assert.ErrorAs(t, err, new(*NotFoundError))

	one := 1
	removed, err := Clean(t.Context(), o.Project, Retention{MaxCount: &one}, "", now)
	require.NoError(t, err)
	assert.Empty(t, removed, "it is too young, and the other session is the only one")
	removed, err = Clean(t.Context(), o.Project, Retention{MaxCount: &one}, "", now.AddDate(0, 0, 2))
	require.NoError(t, err)
	assert.Equal(t, []string{empty}, removed)
}

func TestRetentionOfWrongSettings(t *testing.T) {
	t.Parallel()
	zero := 0
	cases := []struct {
		r    Retention
		want string
	}{
		{Retention{MaxAge: "30"}, `maxAge: "30" is not a period: write a number and h, d, w or m, such as "30d"`},
		{Retention{MaxAge: "0d"}, `maxAge: "0d" is not a period: write a number and h, d, w or m, such as "30d"`},
		{Retention{MaxAge: "2h"}, "maxAge: 2h is less than minRetention"},
		{Retention{MaxCount: &zero}, "maxCount: 0 is less than 1"},
		{Retention{MinRetention: "x"}, `minRetention: "x" is not a period: write a number and h, d, w or m, such as "30d"`},
	}
	for _, c := range cases {
		o := options(t)
		s := speak(t, o, start, "stays")
		_, err := Clean(t.Context(), o.Project, c.r, "", start.AddDate(9, 0, 0))
		assert.EqualError(t, err, "reading general.sessionRetention: "+c.want)
		_, err = Find(o.Project, s.ID())
		assert.NoError(t, err)
	}
}
