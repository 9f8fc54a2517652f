package fields

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Checker checks the values of a document.
type Checker struct {
	// Given reports whether the document has a key, such as "$.market.pools[0].quota": a 0
	// without it is taken as absent.
	Given func(path string) bool
	// Fail makes the error of a place.
	Fail func(path, format string, args ...any) error

	root reflect.Value
}

// Check reports the first value of a struct that is not as the tags of its fields say.
// What is 0 or empty is taken as absent.
func Check(of any) error {
	checker := Checker{Given: func(string) bool { return false }, Fail: func(path, format string, args ...any) error {
		what := fmt.Sprintf(format, args...)
		if path == "$" {
			return errors.New(what)
		}
		return fmt.Errorf("%s: %s", strings.TrimPrefix(path, "$."), what)
	}}
	return checker.Check(of)
}

// Check reports the first value of a struct that is not as the tags of its fields say.
func (c *Checker) Check(of any) error {
	c.root = reflect.ValueOf(of).Elem()
	return c.value(c.root, "$", &Rule{})
}

// value checks one value, and those below it.
func (c *Checker) value(v reflect.Value, path string, r *Rule) error {
	switch v.Kind() {
	case reflect.Float64, reflect.Int, reflect.Int64:
		return c.number(v, path, r)
	case reflect.String:
		return c.text(v.String(), path, r)
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return c.value(v.Elem(), path, r)
		}
	case reflect.Slice:
		if r.Items > 0 && v.Len() > r.Items {
			return c.Fail(path, "%d elements, expected at most %d", v.Len(), r.Items)
		}
		for i := range v.Len() {
			if err := c.value(v.Index(i), fmt.Sprintf("%s[%d]", path, i), r); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			if err := c.value(v.MapIndex(key), path+"."+Quoted(key.String()), r); err != nil {
				return err
			}
		}
	case reflect.Struct:
		return c.fields(v, path)
	}
	return nil
}

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
	return keys
}

// Quoted writes a key as a path has it.
func Quoted(key string) string {
	if strings.ContainsFunc(key, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return "'" + key + "'"
	}
	return key
}

func (c *Checker) number(v reflect.Value, path string, r *Rule) error {
	value := 0.
	if v.CanInt() {
		value = float64(v.Int())
	} else {
		value = v.Float()
	}
	switch {
	case math.IsNaN(value) || math.IsInf(value, 0):
		return c.Fail(path, "%v, expected a finite number", value)
	case r.Holds(value) || !r.Bounded():
		return nil
	case value == 0 && !r.Required && r.Either == "" && !strings.HasSuffix(path, "]") && c.Given(path):
		return c.Fail(path, "0, expected %s; leave it out for the default", r.Expected())
	}
	return c.Fail(path, "%v, expected %s", v.Interface(), r.Expected())
}

func (c *Checker) text(text, path string, r *Rule) error {
	plain := text
	if strings.HasSuffix(path, ".about") { // a description may have lines
		plain = strings.NewReplacer("\n", "", "\t", "").Replace(text)
	}
	switch {
	case !IsPrintable(plain):
		return c.Fail(path, "%q, expected characters that can be printed", text)
	case r.Names != nil && !slices.Contains(r.Names, text):
		return c.Fail(path, "%q, expected %s", text, r.Expected())
	}
	return nil
}

// IsPrintable reports whether a text is UTF-8 of characters that can be printed: a terminal
// or a page obeys others.
func IsPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// fields checks the fields of a struct, and what they ask of one another.
func (c *Checker) fields(v reflect.Value, path string) error {
	v = addressable(v)
	rules, all := Rules(v.Type())
	values := make([]reflect.Value, len(all))
	set := map[string]bool{}
	for i := range all {
		values[i] = In(v, all[i].Index)
		set[rules[i].Key] = isSet(values[i])
	}
	for i := range rules {
		if err := c.field(values[i], path, &rules[i]); err != nil {
			return err
		}
	}
	for i := range rules {
		kind := values[i].Kind()
		isList := kind == reflect.Map || kind == reflect.Slice
		isGivenList := isList && c.Given(path+"."+rules[i].Key) // an empty one counts, as the schema has it
		if !set[rules[i].Key] && !isGivenList {
			continue
		}
		if err := c.relations(v, values[i], path, &rules[i], set); err != nil {
			return err
		}
	}
	return c.eithers(path, rules, set)
}

// field checks one field of a struct at a path: its value, unless it is absent.
func (c *Checker) field(v reflect.Value, path string, r *Rule) error {
	own := path + "." + r.Key
	zeroCounts := v.CanInt() || v.CanFloat() || r.Names != nil && v.Kind() == reflect.String
	switch {
	case isSet(v) || v.Kind() == reflect.Struct && c.Given(own):
	case r.Required && v.Kind() != reflect.Bool && !(zeroCounts && c.Given(own)):
		return c.Fail(path, "%s is missing", r.Key)
	case !zeroCounts || !c.Given(own):
		return nil
	}
	return c.value(v, own, r)
}

// isSet reports whether a field has a value.
func isSet(v reflect.Value) bool {
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() > 0
	}
	return !v.IsZero()
}

// relations checks what a field that is set asks of others.
func (c *Checker) relations(of, v reflect.Value, path string, r *Rule, set map[string]bool) error {
	own := path + "." + r.Key
	for _, need := range r.Needs {
		holder := of
		key, root := strings.CutPrefix(need.Key, "/")
		if root {
			holder = c.root
		}
		if other := byKey(holder, key); !need.met(other) {
			return c.Fail(own, "%s%s", shown(v), need.expected(key, other))
		}
	}
	excluded := r.Excludes
	if slices.Equal(excluded, []string{"*"}) {
		excluded = nil
		for key := range set {
			if key != r.Key {
				excluded = append(excluded, key)
			}
		}
		slices.Sort(excluded)
	}
	for _, key := range excluded {
		if set[key] {
			return c.Fail(own, "expected %s or %s, not both", r.Key, key)
		}
	}
	return nil
}

// addressable returns a struct, or a copy of it where its fields cannot be pointed at, as of a map's value.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	return copied
}

// byKey returns the field of a struct that has a key.
func byKey(v reflect.Value, key string) reflect.Value {
	v = addressable(v)
	for _, f := range All(v.Type()) {
		if Key(f) == key {
			return In(v, f.Index)
		}
	}
	panic(fmt.Sprintf("fields: %v has no key %q, which a tag names", v.Type(), key))
}

// met reports whether the field that is needed is set as it is needed.
func (n *Need) met(v reflect.Value) bool {
	return isSet(v) && (n.Values == nil || slices.Contains(n.Values, v.String()))
}

// expected says what a field needs, and what is there.
func (n *Need) expected(key string, v reflect.Value) string {
	has := "absent"
	if isSet(v) {
		has = v.String()
	}
	if n.Values == nil {
		return fmt.Sprintf("expected only with %s, which is absent", key)
	}
	return fmt.Sprintf("expected only with %s: %s; it is %s", key, Or(n.Values), has)
}

// shown is a number or a text before what was expected in its place.
func shown(v reflect.Value) string {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case v.CanInt() || v.CanFloat():
		return fmt.Sprintf("%v, ", v.Interface())
	case v.Kind() == reflect.String:
		return fmt.Sprintf("%q, ", v.String())
	}
	return ""
}

// eithers checks the groups of fields of which one is set.
func (c *Checker) eithers(path string, rules []Rule, set map[string]bool) error {
	words, groups := Groups(rules)
	for _, word := range words {
		var given []string // in the document, also with an empty value
		some := false
		for _, key := range groups[word] {
			if set[key] || c.Given(path+"."+key) {
				given = append(given, key)
				some = some || set[key]
			}
		}
		all := groups[word]
		keys := joined(all, " and ")
		switch {
		case !some:
			return c.Fail(path, "expected one of %s; none is given", keys)
		case len(given) == 2 && len(all) == 2:
			return c.Fail(path, "expected one of %s, not both", keys)
		case len(given) > 1:
			return c.Fail(path, "expected one of %s, not %s", keys, joined(given, " and "))
		}
	}
	return nil
}
