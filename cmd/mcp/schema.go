package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// whole is how large a part of a schema is that is given whole, bytes.
const whole = 16 << 10

// part returns what a JSON Schema says of a key, with those above it before dots: market.pools, policies.spotdnn. An empty key
// is the whole. Of a large part the keys are given, with what they mean.
func part(schema any, key string) (any, error) {
	at, _ := schema.(map[string]any)
	for name := range strings.SplitSeq(key, ".") {
		if key == "" {
			break
		}
		below := keys(at)
		next, is := below[name]
		if !is {
			return nil, fmt.Errorf("key: %q has no %q, expected one of %s", key, name, strings.Join(slices.Sorted(maps.Keys(below)), ", "))
		}
		at = next
	}
	if text, err := json.Marshal(at); err != nil || len(text) <= whole {
		return at, err
	}
	below := map[string]any{}
	for name, node := range keys(at) {
		below[name] = about(node, slices.Sorted(maps.Keys(keys(node))))
	}
	return about(at, below), nil
}

// about is what a node means, and its keys.
func about[K []string | map[string]any](node map[string]any, keys K) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"description", "required"} {
		if node[name] != nil {
			out[name] = node[name]
		}
	}
	if len(keys) > 0 {
		out["keys"] = keys
	}
	return out
}

// keys returns the keys of an object, of the items of a list, or of the alternatives of a policy by its name.
func keys(node map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	if items, is := node["items"].(map[string]any); is {
		node = items
	}
	properties, _ := node["properties"].(map[string]any)
	for name, of := range properties {
		if of, is := of.(map[string]any); is {
			out[name] = of
		}
	}
	alternatives, _ := node["oneOf"].([]any)
	for _, x := range alternatives {
		one, _ := x.(map[string]any)
		properties, _ := one["properties"].(map[string]any)
		name, _ := properties["name"].(map[string]any)
		if list, _ := name["enum"].([]any); len(list) == 1 {
			out[fmt.Sprint(list[0])] = one
		}
	}
	return out
}
