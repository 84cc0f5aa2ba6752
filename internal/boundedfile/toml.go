package boundedfile

import (
	"fmt"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Limits of a TOML document. People write a few dozen keys.
const (
	MaxTOMLExpressions = 5_000 // keys and tables
	MaxTOMLParts       = 50    // parts of a dotted key
)

// CheckTOML returns an error for a TOML document that exceeds the limits. The decoder
// compares each key with those before it, so a mebibyte of keys would take a minute.
// Syntax errors are left to the decoder.
func CheckTOML(data []byte) error {
	var p unstable.Parser
	p.Reset(data)
	for n := 0; p.NextExpression(); {
		e := p.Expression()
		if e.Kind != unstable.ArrayTable && e.Kind != unstable.Table && e.Kind != unstable.KeyValue {
			continue
		}
		parts := 0
		for it := e.Key(); it.Next(); {
			parts++
		}
		if parts > MaxTOMLParts {
			return fmt.Errorf("a key has more than %d parts", MaxTOMLParts)
		}
		if n += 1 + inline(e); n > MaxTOMLExpressions {
			return fmt.Errorf("more than %d keys and tables", MaxTOMLExpressions)
		}
	}
	return nil
}

// inline counts the keys of the inline tables in a value.
func inline(e *unstable.Node) int {
	if e.Kind != unstable.KeyValue {
		return 0
	}
	n, open := 0, []*unstable.Node{e.Value()}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		if v.Kind == unstable.KeyValue {
			n++
			open = append(open, v.Value())
			continue
		}
		if v.Kind == unstable.Array || v.Kind == unstable.InlineTable {
			for it := v.Children(); it.Next(); {
				open = append(open, it.Node())
			}
		}
	}
	return n
}
