package text

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzPieces checks that a Cleaner and a Writer show the pieces of a text as Clean and
// Visible show the whole, however it is split.
func FuzzPieces(f *testing.F) {
	for _, c := range dirty {
		f.Add([]byte(c.in), len(c.in)/2)
	}
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		at = max(0, at) % (len(data) + 1)
		whole := Cleaner{}
		first := whole.Clean(data)
		var parted Cleaner
		require.Equal(t, first, parted.Clean(data[:at])+parted.Clean(data[at:]), "%q, parted at %d", data, at)
		require.True(t, utf8.ValidString(first))
		require.LessOrEqual(t, len(parted.rest), maxHeld+1)

		var one, two bytes.Buffer
		w := NewWriter(&one)
		_, _ = w.Write(data)
		w = NewWriter(&two)
		_, _ = w.Write(data[:at])
		_, _ = w.Write(data[at:])
		require.Equal(t, one.String(), two.String(), "%q, parted at %d", data, at)
		require.True(t, strings.HasPrefix(Visible(string(data)), one.String()) || !utf8.Valid(data))
	})
}
