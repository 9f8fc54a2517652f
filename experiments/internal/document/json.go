//go:build !js || yaml

package document

import (
	"encoding/json"
	"github.com/marigram/marigram/internal/fields"
	"reflect"

	"github.com/goccy/go-yaml"
)

// JSON returns the document as JSON, as a program without the YAML library reads it: the keys that the file has,
// with their present names, and the values as they were decoded into a struct.
func (d *Document) JSON(of any) ([]byte, error) {
	var plain any
	if err := yaml.NodeToValue(d.tree.Docs[0].Body, &plain); err != nil {
		return nil, err
	}
	return json.Marshal(given(plain, reflect.ValueOf(of).Elem()))
}

// given returns what plain has of a value.
func given(plain any, v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return given(plain, v.Elem())
	}
	switch x := plain.(type) {
	case map[string]any:
		if v.Kind() != reflect.Struct {
			break
		}
		out := map[string]any{}
		for i := range v.NumField() {
			key := fields.Key(v.Type().Field(i))
			if inner, has := x[key]; has && key != "" {
				out[key] = given(inner, v.Field(i))
			}
		}
		return out
	case []any:
		if v.Kind() != reflect.Slice || v.Len() != len(x) {
			break
		}
		out := make([]any, len(x))
		for i := range x {
			out[i] = given(x[i], v.Index(i))
		}
		return out
	}
	return v.Interface()
}
