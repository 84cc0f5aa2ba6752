package dotenv

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []Var
	}{
		{"A=1", []Var{{"A", "1"}}},
		{"A=1\r\nB=2\rC=3\n", []Var{{"A", "1"}, {"B", "2"}, {"C", "3"}}},
		{"\xef\xbb\xbfA=1", []Var{{"A", "1"}}},
		{"  export A = 1  ", []Var{{"A", "1"}}},
		{"exportA=1", []Var{{"exportA", "1"}}},
		{"A: 1", []Var{{"A", "1"}}},
		{"A:1", nil},
		{"A=", []Var{{"A", ""}}},
		// The last value of a name counts, at its own position
		{"A=1\nB=2\nA=3\nC=4\nB=5", []Var{{"A", "3"}, {"C", "4"}, {"B", "5"}}},
		{"A.b-c=1", []Var{{"A.b-c", "1"}}},
		// Comments
		{"# A=1\nB=2 # two", []Var{{"B", "2"}}},
		{"A='x # y' # z", []Var{{"A", "x # y"}}},
		// Quotes
		{"A='a b'", []Var{{"A", "a b"}}},
		{`A="a\nb"`, []Var{{"A", "a\nb"}}},
		{`A='a\nb'`, []Var{{"A", `a\nb`}}},
		{"A=`it's \"so\"`", []Var{{"A", `it's "so"`}}},
		{"A=\"one\ntwo\"\nB=3", []Var{{"A", "one\ntwo"}, {"B", "3"}}},
		{"A=\"open\nB=3", []Var{{"A", `"open`}, {"B", "3"}}},
		{`A={"k":"v"}`, []Var{{"A", `{"k":"v"}`}}},
		// Nothing is expanded
		{"A=p$x${y}w", []Var{{"A", "p$x${y}w"}}},
		// Twice
		{"A=1\nB=2\nA=3", []Var{{"B", "2"}, {"A", "3"}}},
		// Nothing
		{"", nil}, {"just text", nil}, {"=1", nil}, {"A", nil},
	} {
		assert.Equal(t, c.want, parse(c.text), "%q", c.text)
	}
}

// TestEdit checks that set values are read back, and that nothing else in the file
// changes.
func TestEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", "KEY=new\nB=2\n"},
		{"# mine\nA=1", "# mine\nA=1\nKEY=new\nB=2\n"},
		{"A='x\nKEY=y'\nexport KEY=old # c\nC=3\n", "A='x\nKEY=y'\nC=3\nKEY=new\nB=2\n"},
		{"KEY=old\r\nKEY=older\r\nA=1\r\n", "A=1\nKEY=new\nB=2\n"},
		{"GONE=1\nA=\"open\n", "A=\"open\nKEY=new\nB=2\n"},
	} {
		got, err := Edit(c.text, Var{"KEY", "new"}, Var{"B", "2"}, Var{"GONE", ""})
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	for _, value := range []string{"a b ", "a#b", "'a'", "a\nb"} {
		_, err := Edit("A=1\n", Var{"KEY", value})
		assert.ErrorContains(t, err, "KEY", value)
	}
	_, err := Edit("A=\"open\n", Var{"KEY", "x\"y"})
	assert.Error(t, err, "the quote above would end there")
}
