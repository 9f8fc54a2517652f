package fields

import (
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	Share  float64            `json:"share,omitempty" above:"0" below:"1"`
	Counts []int              `json:"counts,omitempty" min:"1" items:"2"`
	Parts  map[string]float64 `json:"parts,omitempty" max:"1"`
}

type study struct {
	Name  string   `json:"name"`
	N     int      `json:"n,omitempty" min:"1" max:"1e3"`
	Load  *float64 `json:"load,omitempty" min:"0"`
	Cloud string   `json:"cloud,omitempty" names:"aws,gcp,azure"`
	Notes string   `json:"about,omitempty"`

	File  string `json:"file,omitempty" either:"source"`
	Table string `json:"table,omitempty" either:"source"`

	Mode  string  `json:"mode,omitempty"`
	Slack float64 `json:"slack_s,omitempty" needs:"mode=ssp|bsp"`
	Pairs string  `json:"pairs,omitempty" needs:"mode" excludes:"cloud"`

	Inner *inner `json:"inner,omitempty" needs:"/mode"`
	own   int
}

func ref(x float64) *float64 { return &x }

// What is wrong is said with its place, its value and what was expected.
func TestCheck(t *testing.T) {
	good := func() *study { return &study{Name: "x", File: "f", Mode: "ssp", own: 1} }
	for want, spoil := range map[string]func(*study){
		"":                              func(*study) {},
		"name is missing":               func(s *study) { s.Name = "" },
		"n: -1, expected 1 to 1e3":      func(s *study) { s.N = -1 },
		"load: -2, expected at least 0": func(s *study) { s.Load = ref(-2) },
		`cloud: "ibm", expected aws, gcp or azure`:                   func(s *study) { s.Cloud = "ibm" },
		"expected one of file and table; none is given":              func(s *study) { s.File = "" },
		"expected one of file and table, not both":                   func(s *study) { s.Table = "t" },
		"slack_s: 3, expected only with mode: ssp or bsp; it is asp": func(s *study) { s.Mode, s.Slack = "asp", 3 },
		`pairs: "p", expected only with mode, which is absent`:       func(s *study) { s.Mode, s.Pairs = "", "p" },
		"pairs: expected pairs or cloud, not both":                   func(s *study) { s.Pairs, s.Cloud = "p", "aws" },
		"inner: expected only with mode, which is absent":            func(s *study) { s.Mode, s.Inner = "", &inner{Share: 0.5} },
		"inner.share: 1, expected more than 0 and less than 1":       func(s *study) { s.Inner = &inner{Share: 1} },
		"inner.counts[1]: 0, expected at least 1":                    func(s *study) { s.Inner = &inner{Counts: []int{1, 0}} },
		"inner.counts: 3 elements, expected at most 2":               func(s *study) { s.Inner = &inner{Counts: []int{1, 2, 3}} },
		"inner.parts.'a b': 2, expected at most 1":                   func(s *study) { s.Inner = &inner{Parts: map[string]float64{"a b": 2}} },
		`mode: "a\x1b", expected characters that can be printed`:     func(s *study) { s.Mode = "a\x1b" },
	} {
		s := good()
		spoil(s)
		if err := Check(s); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	if err := Check(&study{Name: "x", File: "f", Notes: "two\n\tlines"}); err != nil {
		t.Error(err)
	}
}

// A 0 that the document has is a value, one that it has not is none.
func TestGiven(t *testing.T) {
	for given, want := range map[string]string{"": "", "$.n": "$.n: 0, expected 1 to 1e3; leave it out for the default"} {
		c := Checker{Given: func(path string) bool { return path == given }, Fail: func(path, format string, args ...any) error {
			return &failed{path, format, args}
		}}
		err := c.Check(&study{Name: "x", File: "f"})
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, expected %q", given, err, want)
		}
	}
}

type failed struct {
	path, format string
	args         []any
}

func (f *failed) Error() string {
	return f.path + ": " + strings.NewReplacer("%s", f.args[0].(string)).Replace(f.format)
}

// A tag that no number can be made of, and a key that is none, are the program's mistakes.
func TestMalformed(t *testing.T) {
	for want, of := range map[string]any{
		`Min has a tag min:"low"`: &struct {
			Min int `json:"min" min:"low"`
		}{1},
		`has no key "other"`: &struct {
			A int `json:"a" needs:"other"`
		}{1},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("%q, expected %q", got, want)
				}
			}()
			t.Error(Check(of))
		}()
	}
	if r := Of(reflect.TypeFor[study]().Field(0)); !r.Required || r.Bounded() || r.Key != "name" {
		t.Errorf("%+v", r)
	}
}

// A bound is a number or a time, in seconds.
func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "1e3": 1000, "-2.5": -2.5, "0s": 0, "1m": 60, "1h30m": 5400} {
		if got, err := Number(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, expected %v", text, got, err, want)
		}
	}
	if _, err := Number("soon"); err == nil {
		t.Error("a word is a number")
	}
	r := Of(reflect.StructField{Tag: `above:"0" max:"1h"`})
	if r.Holds(0) || !r.Holds(3600) || r.Holds(3601) || r.Expected() != "more than 0 and at most 1h" {
		t.Errorf("%+v: %s", r, r.Expected())
	}
}
