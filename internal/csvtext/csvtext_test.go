package csvtext

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// records reads all records of a text, with the places of their fields.
func records(in io.Reader) (fields [][]string, places []string, err error) {
	r := NewReader(in)
	for {
		row, err := r.Next()
		if err == io.EOF {
			return fields, places, nil
		}
		if err != nil {
			return nil, nil, err
		}
		fields = append(fields, append([]string{}, row.Fields...))
		for _, at := range row.Places {
			places = append(places, fmt.Sprintf("%d:%d", at.Line, at.Column))
		}
	}
}

func TestRecords(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		fields [][]string
		places string // of every field
	}{
		"plain":            {"a,b\n1,2\n", [][]string{{"a", "b"}, {"1", "2"}}, "1:1 1:3 2:1 2:3"},
		"no end of line":   {"a,b\n1,2", [][]string{{"a", "b"}, {"1", "2"}}, "1:1 1:3 2:1 2:3"},
		"quotes":           {"\"a\",b\n\"1,0\",\"say \"\"x\"\"\"\n", [][]string{{"a", "b"}, {"1,0", `say "x"`}}, "1:1 1:5 2:1 2:7"},
		"only quotes":      {"\"\",\"\"\"\"\n", [][]string{{"", `"`}}, "1:1 1:4"},
		"CRLF":             {"\"a\",b\r\n\"1\r\n\r\n2\",3\r\n4,5\r\n", [][]string{{"a", "b"}, {"1\n\n2", "3"}, {"4", "5"}}, "1:1 1:5 2:1 4:4 5:1 5:3"},
		"blanks":           {" a b\t, c d \n\" e \",\tf", [][]string{{"a b", "c d"}, {"e", "f"}}, "1:2 1:8 2:1 2:8"},
		"blank lines":      {"a\n\n \n1\n", [][]string{{"a"}, {"1"}}, "1:1 4:1"},
		"empty fields":     {",\n,\n", [][]string{{"", ""}, {"", ""}}, "1:1 1:2 2:1 2:2"},
		"behind two lines": {"\"a\nb\",\"c\nd\",e\n", [][]string{{"a\nb", "c\nd", "e"}}, "1:1 2:4 3:4"},
	} {
		fields, places, err := records(strings.NewReader(c.text))
		if got := strings.Join(places, " "); err != nil || !reflect.DeepEqual(fields, c.fields) || got != c.places {
			t.Errorf("%s: %q at %s, expected %q at %s, %v", name, fields, got, c.fields, c.places, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,\"2\n3,4\n": "x:3:5: a field in quotes that does not end before a comma or the end of a line, expected its last quote there, " +
			"and each quote in it written twice (the record begins in line 2)",
		"a,b\n1,2\"3\n":                 "x:2:4: a quote within a field that does not begin with one",
		"a,b\n\"1\"x,2\n":               "x:2:3: a field in quotes that does not end before a comma",
		"a,b\n1\n":                      "x:2:1: 1 fields, expected 2",
		"a;b\n1,5;2\n":                  "x:2:1: 2 fields, expected 1 as in the header (its fields are separated by semicolons, expected commas",
		"":                              "x: the file is empty",
		"\n \n":                         "x: the file is empty",
		"\xef\xbb\xbfb,c\n1,2\n":        `x:1:1: no column "a" in the header b,c`,
		strings.Repeat("a", 1+MaxBytes): "x: larger than 16777216 bytes",
	} {
		if _, err := Read("x", strings.NewReader(text), "a"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.99q: %v, expected %s", text, err, want)
		}
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

// endless is a text without an end, and counts what is read of it.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.read+i)%len(e.text)]
	}
	e.read += len(p)
	return len(p), nil
}

// A quote without an end, and a line without one, are answered after MaxRecord bytes and a buffer, whatever follows.
func TestBounded(t *testing.T) {
	for _, text := range []string{"\n", "\x00", "a,", "\"\"", "a\r"} {
		in := &endless{text: text}
		_, _, err := records(io.MultiReader(strings.NewReader("a,b\n\n1,\""), in))
		var bad *Error
		if !errors.As(err, &bad) || bad.Place != (Place{2, 1}) || !strings.Contains(bad.Msg, "more than 65536 bytes") || in.read > MaxRecord+8192 {
			t.Errorf("%q: %v after %d bytes", text, err, in.read)
		}
	}
	short := `"` + strings.Repeat("a\n", MaxRecord/2-2) + `"`
	if fields, _, err := records(strings.NewReader(short)); err != nil || len(fields) != 1 {
		t.Errorf("%d records, %v", len(fields), err)
	}
}

// Whatever a text is, it takes no more than one pass, its places lie in it, and it is the same in whatever pieces it comes.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{"a,b\n1,2", "\"a\"\"\",\"b\nc\"\r\n1,2\r\n", "\"", "a\"b", "\"a\"b", "\"\r\n\"", ",\n,", " \"a\""} {
		f.Add(s)
	}
	f.Add("\"" + strings.Repeat("a\n", MaxRecord/2) + "\"b\"")
	f.Fuzz(func(t *testing.T, text string) {
		fields, places, err := records(strings.NewReader(text))
		again, places2, err2 := records(iotest.OneByteReader(strings.NewReader(text)))
		if fmt.Sprint(err) != fmt.Sprint(err2) || !reflect.DeepEqual(fields, again) || !reflect.DeepEqual(places, places2) {
			t.Fatalf("%q: %q, %v, byte by byte %q, %v", text, fields, err, again, err2)
		}
		lines := strings.Split(text, "\n")
		for _, place := range places {
			var line, column int
			if _, err := fmt.Sscanf(place, "%d:%d", &line, &column); err != nil || line > len(lines) || column > len(lines[line-1])+1 {
				t.Fatalf("%q: a field at %s", text, place)
			}
		}
	})
}
