package discovered

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse checks that, whatever the discovery command prints, the result is
// declarations or an error, and that a tool made from one has a plain name and a
// schema.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`[{"name":"a","description":"d","parametersJsonSchema":{"type":"object"}}]`, `[{"function_declarations":[{"name":"b","parameters":{"properties":{"x":{"$ref":"#"}}}}]},{"functionDeclarations":[]}]`,
		`[null,{"name":"-x"},{"name":"a b"}]`, `{}`, `[5]`, ``, `[{"name":"a","parameters":"x"}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		declared, err := parse(data)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.LessOrEqual(t, len(declared), maxTools)
		for _, d := range declared {
			made, why := Commands{}.tool(d)
			if made == nil {
				require.NotEmpty(t, why)
				continue
			}
			require.Empty(t, strings.Trim(made.Spec().Name, plain))
			require.False(t, strings.HasPrefix(made.Spec().Name, "-"))
			require.True(t, json.Valid(made.Spec().Parameters))
		}
	})
}
