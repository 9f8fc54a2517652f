package read

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzCursor holds the reader of JSON to the standard library: what one takes
// the other takes, and strings are the same.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{`{"a": [1, -2.5e3, "b\u00e9\n", null, true], "c": {}}`, `[]`, `[1,]`, `{"a"}`, `{"a":}`, `"\ud800"`, "\"\x80\"", `01`,
		`tru`, `[1 2]`, `{"a":1,}`, `{,}`, `"a`, `"\"`, ` 5 `, "\"\n\"", `nul`, `-`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) || len(data) > MaxText {
			return
		}
		var errs [2]string
		for i, window := range []int{16, WindowBytes} {
			errs[i] = errorText(NewCursor(textSource(t, "fuzz", data, window)).Skip("the text"))
		}
		if errs[0] != errs[1] {
			t.Fatalf("%q: %s in a small window, %s in a large one", data, errs[0], errs[1])
		}
		c := NewCursor(textSource(t, "fuzz", data, WindowBytes))
		err := c.Skip("the text")
		took := err == nil && c.Done()
		if err != nil && (strings.Contains(err.Error(), "nested deeper") || strings.Contains(err.Error(), "is given twice")) {
			return
		}
		if took != json.Valid(data) {
			t.Fatalf("%q: taken %v (%v), valid %v", data, took, err, !took)
		}
		var want string
		text := func(r rune) bool { return r != ' ' && r != '\n' && r != '\t' && r != '\r' }
		if json.Unmarshal(data, &want) == nil && took && data[strings.IndexFunc(string(data), text)] == '"' {
			if got, err := NewCursor(textSource(t, "fuzz", data, WindowBytes)).Text("the text", len(data)*3); err != nil || got != want {
				t.Fatalf("%q: %q, %v, expected %q", data, got, err, want)
			}
		}
	})
}

func TestCursorErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\": 1\n \"b\": 2}": "x:2:2: not JSON: \"\\\"\", expected a comma",
		"{\"a\" 1}":             "x:1:6: not JSON: \"1\", expected a colon",
		"{a: 1}":                "x:1:2: not JSON: \"a\", expected a key",
		"{\"a\": tru}":          "x:1:7: not JSON: \"tru\", expected a value",
		"{\"a\": }":             "x:1:7: not JSON: \"}\", expected a value",
		"{\"a\": \"\\x\"}":      "x:1:9: not JSON: invalid character 'x' in string escape code",
		"{\"a\": \"b\nc\"}":     "not JSON: invalid character '\\n' in string literal",
		"{\"a\": [1":            "x:1:9: the JSON ends in the middle",
		"{\"a\": 1, \"a\": 2}":  "x:1:10: \"a\" is given twice",
	} {
		c := NewCursor(textSource(t, "x", []byte(text), WindowBytes))
		if err := c.Skip("the text"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\n\texpected %s", text, err, want)
		}
	}
}
