// Package fields reads what the tags of a struct's fields say of their values. Errors,
// JSON Schemas and the settings of policies come from the same tags:
//
//	Quota     int     `json:"quota" min:"1" max:"4096"`
//	Load      float64 `json:"load,omitempty" above:"0" max:"1e6"`
//	Cloud     string  `json:"cloud,omitempty" names:"aws,gcp,azure"`
//	Factors   []int   `json:"factors" min:"2" items:"1000"`
//	Pairs     string  `json:"pairs,omitempty" needs:"speeds" excludes:"tasks"`
//	Staleness int     `json:"staleness,omitempty" needs:"mode=ssp"`
//	Servers   []int   `json:"servers,omitempty" needs:"/jobs"`
//	Table     string  `json:"table,omitempty" either:"source"`
//	Now       string  `json:"now" numbers:"true"`
//
// min and max bound a number or a time ("1m"), or each number of a list or a map; above and below are bounds
// that it does not reach. names are what a text can be. items is the maximum length of a list.
// With numbers a text can be written as a number. A field needs another key, or one of some
// values of it (separated by |); a leading slash means a key of the whole document. It
// excludes other keys, * all of them. Of the fields with the same word in either exactly
// one is set. A key without omitempty or omitzero is required. The unit of a number is the
// end of its key: _s, _h, _gb, _usd_per_h.
package fields

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rule is what the tags of one field say.
type Rule struct {
	Key      string // in the document; empty: it has none
	Required bool

	Min, Max float64 // infinite where the tags have no bound
	Above    bool    // Min itself is refused
	Below    bool    // Max itself is refused
	Names    []string
	Items    int  // maximum length of a list; 0: no bound
	Numbers  bool // a text that can be written as a number

	Needs    []Need
	Excludes []string
	Either   string

	low, high string // the bounds as they are written
}

// Need is a key that has to be set, to one of the values if there are any.
type Need struct {
	Key    string // a leading slash: of the whole document
	Values []string
}

// Key returns the key of a field in a document; empty: it has none.
func Key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// Of returns the rule of a field. It panics where a tag is malformed.
func Of(f reflect.StructField) Rule {
	rule := Rule{
		Key:      Key(f),
		Min:      math.Inf(-1),
		Max:      math.Inf(1),
		Names:    list(f.Tag.Get("names")),
		Excludes: list(f.Tag.Get("excludes")),
		Either:   f.Tag.Get("either"),
		Numbers:  f.Tag.Get("numbers") == "true",
	}
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	rule.Required = rule.Key != "" && !strings.Contains(options, "omit")
	number := func(tag string, into *float64) string {
		text, has := f.Tag.Lookup(tag)
		if !has {
			return ""
		}
		value, err := Number(text)
		if err != nil {
			panic(fmt.Sprintf("fields: %s has a tag %s:%q, expected a number", f.Name, tag, text))
		}
		*into = value
		return text
	}
	rule.low = number("min", &rule.Min)
	if above := number("above", &rule.Min); above != "" {
		rule.low = above
		rule.Above = true
	}
	rule.high = number("max", &rule.Max)
	if below := number("below", &rule.Max); below != "" {
		rule.high = below
		rule.Below = true
	}
	items := 0.
	number("items", &items)
	rule.Items = int(items)
	for _, text := range list(f.Tag.Get("needs")) {
		key, values, has := strings.Cut(text, "=")
		need := Need{Key: key}
		if has {
			need.Values = strings.Split(values, "|")
		}
		rule.Needs = append(rule.Needs, need)
	}
	return rule
}

// Number reads a number or a time, such as 1m, in seconds.
func Number(text string) (float64, error) {
	if duration, err := time.ParseDuration(text); err == nil {
		return duration.Seconds(), nil
	}
	return strconv.ParseFloat(text, 64)
}

func list(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

// Bounded reports whether the rule bounds a number.
func (r *Rule) Bounded() bool { return r.low != "" || r.high != "" }

// Holds reports whether a number is within the bounds.
func (r *Rule) Holds(x float64) bool {
	return (x < r.Max || x == r.Max && !r.Below) && (x > r.Min || x == r.Min && !r.Above)
}

// Expected says what the field takes: "0 to 86400", "more than 0", or its names.
func (r *Rule) Expected() string {
	low := "at least " + r.low
	if r.Above {
		low = "more than " + r.low
	}
	high := "at most " + r.high
	if r.Below {
		high = "less than " + r.high
	}
	switch {
	case r.Names != nil:
		return Or(r.Names)
	case r.low == "":
		return high
	case r.high == "":
		return low
	case r.Above || r.Below:
		return low + " and " + high
	}
	return r.low + " to " + r.high
}

// Or lists names as a sentence has them: "a, b or c".
func Or(names []string) string { return joined(names, " or ") }

func joined(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	before := len(names) - 1
	return strings.Join(names[:before], ", ") + last + names[before]
}

// Rules returns the rules of all fields of a struct that have a key (All), and these fields.
func Rules(t reflect.Type) (rules []Rule, all []reflect.StructField) {
	all = All(t)
	for i := range all {
		rules = append(rules, Of(all[i]))
	}
	return rules, all
}

// Groups returns the words of either of some rules, in their order, and the keys of each.
func Groups(rules []Rule) (words []string, keys map[string][]string) {
	keys = map[string][]string{}
	for i := range rules {
		word := rules[i].Either
		if word == "" {
			continue
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
		keys[word] = append(keys[word], rules[i].Key)
	}
	return words, keys
}
