package csvtext

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestReadAll(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		fields [][]string
		places string // of every field
	}{
		"plain":            {"a,b\n1,2\n", [][]string{{"a", "b"}, {"1", "2"}}, "1:1 1:3 2:1 2:3"},
		"no end of line":   {"a,b\n1,2", [][]string{{"a", "b"}, {"1", "2"}}, "1:1 1:3 2:1 2:3"},
		"quotes":           {"\"a\",b\n\"1,0\",\"say \"\"x\"\"\"\n", [][]string{{"a", "b"}, {"1,0", `say "x"`}}, "1:1 1:5 2:1 2:7"},
		"only quotes":      {"\"\",\"\"\"\"\n", [][]string{{"", `"`}}, "1:1 1:4"},
		"CRLF and BOM":     {"\xef\xbb\xbf\"a\",b\r\n\"1\r\n\r\n2\",3\r\n4,5\r\n", [][]string{{"a", "b"}, {"1\n\n2", "3"}, {"4", "5"}}, "1:1 1:5 2:1 4:4 5:1 5:3"},
		"blanks":           {" \"a b\"\t, c d \n", [][]string{{"a b", "c d"}}, "1:2 1:10"},
		"blanks kept":      {"\" a \", b", [][]string{{" a ", "b"}}, "1:1 1:8"},
		"blank lines":      {"a\n\n \n1\n", [][]string{{"a"}, {"1"}}, "1:1 4:1"},
		"empty fields":     {",\n,\n", [][]string{{"", ""}, {"", ""}}, "1:1 1:2 2:1 2:2"},
		"behind two lines": {"\"a\nb\",\"c\nd\",e\n", [][]string{{"a\nb", "c\nd", "e"}}, "1:1 2:4 3:4"},
		"comments":         {"#\"x\na\n# y\n1\n", [][]string{{"a"}, {"1"}}, "2:1 4:1"},
	} {
		rows, err := ReadAll("x", strings.NewReader(c.text), 100, '#')
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var fields [][]string
		var places []string
		for _, r := range rows {
			fields = append(fields, r.Fields)
			for i := range r.Fields {
				line, column := r.Place(i)
				places = append(places, fmt.Sprintf("%d:%d", line, column))
			}
		}
		if got := strings.Join(places, " "); !reflect.DeepEqual(fields, c.fields) || got != c.places {
			t.Errorf("%s: %q at %s, expected %q at %s", name, fields, got, c.fields, c.places)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,\"2\n3,4\n":                "x:2:3: a field that begins with a quote and has no end",
		"a,b\n\"1\n\n\",\"2\n3,4\n":        "x:4:3: a field that begins with a quote and has no end",
		"a,b\n1,2\"3\n":                    "x:2:4: a quote within a field",
		"a,b\n\"1\"x,2\n":                  `x:2:4: "x" behind the end of a field in quotes`,
		"a,b\n1\n":                         "x:2:1: 1 fields, expected 2",
		"a;b\n1,5;2\n":                     "x:2:1: 2 fields, expected 1 as in the header (its fields are separated by semicolons, expected commas",
		"":                                 "x: the file is empty",
		"\n \n":                            "x: the file is empty",
		"a\n\"" + strings.Repeat("\n", 95): "x:2:1: a field that begins with a quote and has no end",
		strings.Repeat("a", 101):           "x: larger than 100 bytes",
	} {
		if _, err := ReadAll("x", strings.NewReader(text), 100, 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
	if _, err := ReadAll("x", strings.NewReader(""), 100, 0); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

// A table of semicolons is named as one where its header lacks a column.
func TestSemicolons(t *testing.T) {
	_, err := Read("x", strings.NewReader("type;workers\na;2\n"), "type", "workers")
	const want = `x:1:1: no column "type" in the header type;workers (its fields are separated by semicolons, expected commas`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}
	for _, header := range []string{"a,b;c", ";a", "a", `{"a": "b;c"}`, "a\tb;c", ""} {
		if said := Semicolons(header); said != "" {
			t.Errorf("%q: %s", header, said)
		}
	}
}

// A quote without an end holds no more than one record in memory, and takes time in
// proportion to the text.
func TestBounded(t *testing.T) {
	text := "\"" + strings.Repeat("\n", 4*MaxRecord)
	largest := 0
	for _, record := range Records(numbered([]byte(text))) {
		largest = max(largest, len(record))
	}
	if largest != MaxRecord+1 {
		t.Errorf("a record of %d bytes, expected %d", largest, MaxRecord+1)
	}
}

func TestQuote(t *testing.T) {
	for _, field := range []string{"", "a", "a b", " a", "a\t", "\u00a0a", "a,b", `say "x"`, "\n", "é"} {
		got, _, err := Split(Quote(field)+",x", 2)
		if err != nil || !slices.Equal(got, []string{field, "x"}) {
			t.Errorf("%q: %q, %v", field, got, err)
		}
	}
	if got := Quote("a b"); got != "a b" {
		t.Error(got)
	}
}

// What encoding/csv takes, this reader takes as well and reads the same, blanks aside; and
// what is written between quotes comes back.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{"a,b\n1,2", "\"a\"\"\",\"b\nc\"\r\n1,2\r\n", "\"", "a\"b", "\"a\"b", "\"\r\n\"", ",\n,", " \"a\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadAll("x", strings.NewReader(text), MaxRecord, 0)
		for _, r := range got {
			var again []string
			for i, field := range r.Fields {
				again = append(again, Quote(field))
				line, column := r.Place(i)
				lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
				if line > len(lines) || column > len(lines[line-1])+1 {
					t.Fatalf("%q: field %d is at %d:%d", text, i, line, column)
				}
			}
			if fields, _, bad := Split(strings.Join(again, ","), 0); bad != nil || !slices.Equal(fields, r.Fields) {
				t.Fatalf("%q: %q, %v, expected %q", text, fields, bad, r.Fields)
			}
		}
		if strings.ContainsAny(text, " \t\ufeff\v\f\u0085\u00a0") || strings.Contains(text, "\r") && !strings.Contains(text, "\r\n") {
			return
		}
		in := csv.NewReader(strings.NewReader(text))
		var want [][]string
		for {
			fields, wrong := in.Read()
			if wrong == io.EOF {
				break
			}
			if wrong != nil {
				return
			}
			want = append(want, fields)
		}
		if err != nil && !(len(want) == 0 && errors.Is(err, ErrEmpty)) {
			t.Fatalf("%q: %v, expected %q", text, err, want)
		}
		for i, r := range got {
			if !slices.EqualFunc(r.Fields, want[i], func(a, b string) bool { return a == b || a == strings.TrimSpace(b) }) {
				t.Fatalf("%q: %q, expected %q", text, r.Fields, want[i])
			}
		}
	})
}
