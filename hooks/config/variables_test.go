package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"minigem/hooks/config"
)

func TestQuoteVariables(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		`$GEMINI_PROJECT_DIR/x.sh`:                             `"$GEMINI_PROJECT_DIR"/x.sh`,
		`${GEMINI_PROJECT_DIR}/x.sh`:                           `"${GEMINI_PROJECT_DIR}"/x.sh`,
		`node $CLAUDE_PROJECT_DIR/x.js --dir=$GEMINI_CWD`:      `node "$CLAUDE_PROJECT_DIR"/x.js --dir="$GEMINI_CWD"`,
		`${GEMINI_PROJECT_DIR:-.}/x.sh`:                        `"${GEMINI_PROJECT_DIR:-.}"/x.sh`,
		`${OTHER:-$GEMINI_PROJECT_DIR}/x`:                      `${OTHER:-"$GEMINI_PROJECT_DIR"}/x`,
		`a=($GEMINI_PLANS_DIR)`:                                `a=("$GEMINI_PLANS_DIR")`,
		`cat <$GEMINI_CWD/a`:                                   `cat <"$GEMINI_CWD"/a`,
		`echo "$(cat $GEMINI_CWD/a)"`:                          `echo "$(cat "$GEMINI_CWD"/a)"`,
		"cat <<E\n$GEMINI_CWD $(ls $GEMINI_CWD)\nE":            "cat <<E\n$GEMINI_CWD $(ls \"$GEMINI_CWD\")\nE",
		`echo é $GEMINI_CWD`:                                   `echo é "$GEMINI_CWD"`,
		`"$GEMINI_PROJECT_DIR/x.sh" "${GEMINI_CWD}"`:           ``,
		`'$GEMINI_PROJECT_DIR/x.sh'`:                           ``,
		`\$GEMINI_PROJECT_DIR $GEMINI_PROJECT_DIRX $HOME/x`:    ``,
		`echo $((GEMINI_CWD + ${#GEMINI_CWD})) ${#GEMINI_CWD}`: ``,
		"cat `echo $GEMINI_CWD`":                               ``,
		`if $GEMINI_CWD`:                                       ``, // bash cannot parse it
		``:                                                     ``,
	} {
		if want == "" {
			want = command
		}
		assert.Equal(t, want, config.QuoteVariables(command))
		assert.Equal(t, want, config.QuoteVariables(want), "twice is once")
	}
}

// FuzzQuoteVariables checks that quoting adds nothing but quotes, keeps the text valid
// for bash, and changes nothing the second time.
func FuzzQuoteVariables(f *testing.F) {
	for _, command := range []string{
		"$GEMINI_PROJECT_DIR/x.sh", `"$(cat <<E` + "\n$GEMINI_CWD $(ls ${GEMINI_CWD%/*})\nE\n" + `)"`, "case $GEMINI_CWD in ${GEMINI_CWD}*) ;; esac",
		"[[ $GEMINI_CWD =~ $GEMINI_CWD ]]", "a[$GEMINI_CWD]=($GEMINI_CWD)", "${GEMINI_CWD[$GEMINI_CWD]:-${GEMINI_CWD}}", `$"$GEMINI_CWD" $'$GEMINI_CWD'`,
	} {
		f.Add(command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		quoted := config.QuoteVariables(command)
		require.Equal(t, strings.ReplaceAll(command, `"`, ""), strings.ReplaceAll(quoted, `"`, ""))
		if quoted == command {
			return
		}
		_, err := syntax.NewParser().Parse(strings.NewReader(quoted), "")
		require.NoError(t, err, quoted)
		require.Equal(t, quoted, config.QuoteVariables(quoted))
	})
}
