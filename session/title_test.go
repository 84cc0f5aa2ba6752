package session

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/redact"
	"minigem/llm"
)

func TestTitleLatest(t *testing.T) {
	t.Parallel()
	talk := func(t *testing.T, o Options, prompts ...string) *Session {
		s := begin(t, o)
		for _, p := range prompts {
			s.Append(llm.UserText(p))
			s.Append(llm.ModelText("yes"))
		}
		return s
	}
	title := func(t *testing.T, o Options, answer string, err error) (asked string, got error) {
		got = TitleLatest(t.Context(), o.Project, redact.NewMask([]string{"topsecret-key"}).Bytes, func(_ context.Context, text string) (string, error) {
			asked = text
			return answer, err
		})
		return asked, got
	}
	t.Run("asked once, kept, masked", func(t *testing.T) {
		o := options(t)
		talk(t, o, "one <hook_context>hidden</hook_context>", strings.Repeat("x", 600)).End(t.Context(), "exit")
		asked, err := title(t, o, " Counting\nwith topsecret-key \n", nil)
		require.NoError(t, err)
		assert.Equal(t, "User: one\n\nModel: yes\n\nUser: "+strings.Repeat("x", 500)+"...\n\nModel: yes", asked)
		infos, err := List(o.Project)
		require.NoError(t, err)
		assert.Equal(t, "Counting with [REDACTED]", infos[0].Title)
		asked, err = title(t, o, "Another", nil)
		require.NoError(t, err)
		assert.Empty(t, asked, "it has one now")
	})
	t.Run("a long one is cut in the middle", func(t *testing.T) {
		o := options(t)
		talk(t, o, strings.Split(strings.Repeat("p ", 30)+"last", " ")...).End(t.Context(), "exit")
		asked, err := title(t, o, "t", nil)
		require.NoError(t, err)
		assert.Len(t, strings.Split(asked, "\n\n"), 21)
		assert.Contains(t, asked, "\n\n[...]\n\n")
		assert.True(t, strings.HasSuffix(asked, "User: last\n\nModel: yes"), asked)
	})
	t.Run("left alone", func(t *testing.T) {
		o := options(t)
		asked, err := title(t, o, "t", nil)
		require.NoError(t, err)
		assert.Empty(t, asked, "there is none")
		s := talk(t, o, "one", "two")
		asked, err = title(t, o, "t", nil)
		require.NoError(t, err)
		assert.Empty(t, asked, "it is open")
		s.Rollback(2)
		s.End(t.Context(), "exit")
		asked, err = title(t, o, "t", nil)
		require.NoError(t, err)
		assert.Empty(t, asked, "one prompt is its own title")
	})
	t.Run("no answer", func(t *testing.T) {
		o := options(t)
		s := talk(t, o, "one", "two")
		path := s.Path()
		s.End(t.Context(), "exit")
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = title(t, o, "", errors.New("503"))
		require.EqualError(t, err, "giving session "+s.ID()+" a title: 503")
		_, err = title(t, o, " \n", nil)
		require.NoError(t, err)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, before, after)
	})
}
