package inspect_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/protocol"
	"minigem/hooks/schema"
)

// TestSchemaIsWhatIsFired checks that a payload with a value in every field leaves the
// engine with exactly the fields of the event's schema.
func TestSchemaIsWhatIsFired(t *testing.T) {
	t.Parallel()
	for _, ev := range protocol.Events {
		described, err := schema.Input(ev)
		require.NoError(t, err)
		in := reflect.New(ev.InputType()).Elem()
		full(in)
		in.FieldByName("HookEventName").SetString(string(ev))
		sample, err := protocol.Encode(in.Interface())
		require.NoError(t, err)
		e := &hooks.Engine{Mode: func() string { return "default" }}
		report, err := inspect.Fire(t.Context(), e, sample)
		require.NoError(t, err, ev)
		var fired map[string]any
		require.NoError(t, json.Unmarshal(report.Input.Bytes(), &fired))
		assert.Equal(t, slices.Sorted(maps.Keys(described.Properties)), slices.Sorted(maps.Keys(fired)), ev)
		for _, key := range described.Required {
			assert.Contains(t, fired, key, ev)
		}
	}
}

// full sets v, and everything in it, to values other than zero.
func full(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			full(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		full(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			full(v.Index(0))
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]any{"key": "x"}))
	case reflect.Interface:
		v.Set(reflect.ValueOf("x"))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	}
}
