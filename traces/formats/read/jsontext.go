package read

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/marigram/marigram/traces"
)

// Text reads a string of at most limit bytes.
func (c *Cursor) Text(what string, limit int) (string, error) {
	if err := c.quoted(what); err != nil {
		return "", err
	}
	s, err := c.string()
	if err == nil && len(s) > limit {
		err = c.Errorf("%s has %d bytes, expected at most %d", what, len(s), limit)
	}
	return s, err
}

// quoted passes over the quote at which a string begins.
func (c *Cursor) quoted(what string) error {
	if c.Ahead() != '"' {
		tok, err := c.Next()
		if err != nil {
			return err
		}
		return c.Errorf("%s is %s, expected a string", what, Describe(tok))
	}
	c.at = c.pos
	c.pos++
	return nil
}

// value reads a string of plain ASCII that is likely met once: the bytes of the
// source. A string of another kind is not plain, and is left to be read by text.
func (c *Cursor) value() (text []byte, plain bool) {
	if c.Ahead() != '"' {
		return nil, false
	}
	data := c.Source.data[c.pos+1:]
	end := bytes.IndexByte(data[:min(len(data), traces.MaxName)], '"')
	if end < 0 || bytes.IndexByte(data[:end], '\\') >= 0 || bytes.ContainsFunc(data[:end], odd) {
		return nil, false
	}
	c.at = c.pos
	c.pos += end + 2
	return data[:end], true
}

// odd reports whether a character is a control character or not ASCII.
func odd(r rune) bool { return r < ' ' || r >= 0x80 }

// Number reads a number and returns its text.
func (c *Cursor) Number(what string) (string, error) {
	tok, err := c.Next()
	if err != nil {
		return "", err
	}
	n, ok := tok.(json.Number)
	if !ok {
		return "", c.Errorf("%s is %s, expected a number", what, Describe(tok))
	}
	return n.String(), nil
}

// Describe names a token for a complaint: the string "a", an object, null.
func Describe(tok json.Token) string {
	switch t := tok.(type) {
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "an array", '}': "the end of an object",
			']': "the end of an array"}[t]
	case string:
		return "the string " + Quote(t)
	case json.Number:
		return "the number " + t.String()
	case bool:
		return "the truth value " + strconv.FormatBool(t)
	}
	return "null"
}
