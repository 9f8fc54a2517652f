package read

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/marigram/marigram/traces"
)

// maxWords bounds the texts that a cursor remembers.
const maxWords = 1 << 16

// Next reads the beginning of an object or array, the end of one, or a value.
func (c *Cursor) Next() (json.Token, error) {
	c.blank()
	c.at = c.pos
	if c.pos == len(c.Source.data) {
		return nil, c.cut()
	}
	switch b := c.Source.data[c.pos]; b {
	case '{', '[', '}', ']':
		c.pos++
		return json.Delim(b), nil
	case '"':
		c.pos++
		return c.string()
	}
	return c.literal()
}

// string reads a string whose first quote, at at, is past. Most are plain ASCII;
// the others are read by the standard library.
func (c *Cursor) string() (string, error) {
	data := c.Source.data
	start := c.pos
	for i := start; i < len(data); i++ {
		switch b := data[i]; {
		case b == '"' && i-start <= MaxText:
			c.pos = i + 1
			return c.word(data[start:i]), nil
		case b == '"':
			return "", c.tooLong()
		case b == '\\' || b < ' ' || b >= 0x80:
			return c.oddString(start, i)
		}
	}
	if err := c.longer(); err != nil {
		return "", err
	}
	return c.string()
}

// longer brings in more of the string under way, which the window cuts.
func (c *Cursor) longer() error {
	if len(c.Source.data)-c.pos > MaxText {
		return c.tooLong()
	}
	if !c.refill(c.at) {
		return c.cut()
	}
	return nil
}

func (c *Cursor) tooLong() error {
	return c.Errorf("a text of more than %d bytes, expected at most that", MaxText)
}

// oddString reads a string that has something other than plain ASCII at i.
func (c *Cursor) oddString(start, i int) (string, error) {
	data := c.Source.data
	for ; i < len(data) && data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	if i >= len(data) {
		if err := c.longer(); err != nil {
			return "", err
		}
		return c.string()
	}
	if i-start > MaxText {
		return "", c.tooLong()
	}
	var s string
	if err := json.Unmarshal(data[start-1:i+1], &s); err != nil {
		return "", c.notJSON(start-1, err)
	}
	c.pos = i + 1
	return s, nil
}

// literal reads a number, a truth value or null.
func (c *Cursor) literal() (json.Token, error) {
	n := 0
	for c.there(n) && bytes.IndexByte([]byte("{}[]\",: \t\r\n"), c.Source.data[c.pos+n]) < 0 {
		if n++; n > MaxText {
			return nil, c.tooLong()
		}
	}
	data := c.Source.data
	end := c.pos + n
	if n == 0 {
		return nil, c.Errorf("not JSON: %s, expected a value", Quote(string(data[end:end+1])))
	}
	text := data[c.pos:end]
	if !json.Valid(text) {
		if end == len(data) {
			return nil, c.cut()
		}
		return nil, c.Errorf("not JSON: %s, expected a value", Quote(string(text)))
	}
	c.pos = end
	switch text[0] {
	case 't', 'f':
		return text[0] == 't', nil
	case 'n':
		return nil, nil
	}
	return json.Number(c.word(text)), nil
}

// notJSON complains with the words of the standard library about the text that
// begins at an offset.
func (c *Cursor) notJSON(start int, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		c.at = min(start+max(int(syntax.Offset)-1, 0), len(c.Source.data)-1)
	}
	return c.Errorf("not JSON: %v", err)
}

// word returns the bytes as a text, the same one if they came before.
func (c *Cursor) word(text []byte) string {
	if s, ok := c.words[string(text)]; ok {
		return s
	}
	s := string(text)
	if len(c.words) < maxWords && len(s) <= traces.MaxName {
		c.words[s] = s
	}
	return s
}

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

// plainText reads a string that is likely met once: one of plain ASCII is not remembered.
func (c *Cursor) plainText(what string) (string, error) {
	if c.Ahead() != '"' {
		return c.Text(what, traces.MaxName)
	}
	data := c.Source.data[c.pos+1:]
	end := bytes.IndexByte(data[:min(len(data), traces.MaxName)], '"')
	if end < 0 || bytes.IndexByte(data[:end], '\\') >= 0 || bytes.ContainsFunc(data[:end], odd) {
		return c.Text(what, traces.MaxName)
	}
	c.at = c.pos
	c.pos += end + 2
	return string(data[:end]), nil
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
