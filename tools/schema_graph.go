package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Limits of a schema from others. The library checks arguments by recursion
// over references, which cannot be interrupted: a schema that refers to itself
// can exhaust the stack, and one with chains of double references takes
// exponential time.
const (
	maxSchemaDepth = 100
	maxSchemaCost  = 100_000
)

// checkGraph returns an error if a schema nests too deep, refers to itself, or
// expands to too much once every reference is followed.
func checkGraph(raw json.RawMessage) error {
	if nesting(raw) > maxSchemaDepth {
		return fmt.Errorf("it nests deeper than %d levels", maxSchemaDepth)
	}
	g := schemaGraph{cost: map[string]int{}}
	if err := json.Unmarshal(raw, &g.root); err != nil {
		return err
	}
	_, err := g.walk("", g.root)
	return err
}

// nesting returns how deep the brackets of data nest.
func nesting(data []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// schemaGraph is a schema with its references. Every value in it counts as a
// place that may be followed, which is an upper bound.
type schemaGraph struct {
	root any
	cost map[string]int // sizes by JSON pointer; underWay: being computed
}

const underWay = -1

// walk returns how many values v expands to once its references are followed.
func (g *schemaGraph) walk(at string, v any) (int, error) {
	switch cost, seen := g.cost[at]; {
	case seen && cost == underWay:
		return 0, errors.New("it refers to itself")
	case seen:
		return cost, nil
	}
	g.cost[at] = underWay
	cost := 1
	add := func(at string, v any) error {
		n, err := g.walk(at, v)
		if cost += n; err == nil && cost > maxSchemaCost {
			err = errors.New("its references stand for too much")
		}
		return err
	}
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			if err := add(at+"/"+strconv.Itoa(i), e); err != nil {
				return 0, err
			}
		}
	case map[string]any:
		for name, e := range v {
			if err := add(at+"/"+name, e); err != nil {
				return 0, err
			}
			ref, ok := e.(string)
			if !ok || !strings.HasPrefix(name, "$") || !strings.HasSuffix(strings.ToLower(name), "ref") {
				continue
			}
			to, target, err := g.find(ref)
			if err == nil {
				err = add(to, target)
			}
			if err != nil {
				return 0, err
			}
		}
	}
	g.cost[at] = cost
	return cost, nil
}

// find follows a reference within the schema, such as #/$defs/name.
func (g *schemaGraph) find(ref string) (at string, v any, err error) {
	unknown := fmt.Errorf("its reference %.100q cannot be followed", ref)
	way, ok := strings.CutPrefix(ref, "#")
	if way, err = url.PathUnescape(way); !ok || err != nil || way != "" && way[0] != '/' {
		return "", nil, unknown
	}
	v = g.root
	if way == "" {
		return "", v, nil
	}
	for step := range strings.SplitSeq(way[1:], "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch in := v.(type) {
		case map[string]any:
			v, ok = in[step]
		case []any:
			n, nerr := strconv.Atoi(step)
			if ok = nerr == nil && n >= 0 && n < len(in); ok {
				v = in[n]
			}
		default:
			ok = false
		}
		if !ok {
			return "", nil, unknown
		}
		at += "/" + step
	}
	return at, v, nil
}
