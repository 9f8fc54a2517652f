package read

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces"
)

// Cursor walks through the JSON of a source value by value, and knows where it
// is. It reads the bytes itself: positions stay exact, and names that come again
// cost nothing. Its offsets are into the source's window.
type Cursor struct {
	Source *Source
	pos    int // next byte
	depth  int
	at     int               // where the last token starts; below 0: it left the window
	words  map[string]string // texts met before

	lineAt, lineCount      int // an offset not behind at, and its line
	wasAtLine, wasAtColumn int // where the token is that left the window
}

func NewCursor(s *Source) *Cursor {
	return &Cursor{Source: s, words: map[string]string{}, lineCount: 1}
}

// refill brings in more text; what is before from is not needed any longer. It
// reports whether more came.
func (c *Cursor) refill(from int) bool {
	if 0 <= c.at && c.at < from {
		c.wasAtLine, c.wasAtColumn = c.Source.place(c.at)
		c.at = -1
	}
	more := c.Source.fill(from)
	c.pos -= from
	c.at = max(c.at-from, -1)
	c.lineAt, c.lineCount = 0, c.Source.line+1
	return more
}

// there reports whether the token under way has another byte at n behind pos.
func (c *Cursor) there(n int) bool {
	return c.pos+n < len(c.Source.data) || c.refill(c.at) // at is the token's first byte
}

// Done reports whether only white space is left.
func (c *Cursor) Done() bool {
	c.blank()
	return c.pos == len(c.Source.data)
}

// Ahead returns the first byte of the next value, 0 at the end.
func (c *Cursor) Ahead() byte {
	if c.Done() {
		return 0
	}
	return c.Source.data[c.pos]
}

// blank passes over white space.
func (c *Cursor) blank() {
	for {
		data := c.Source.data
		for c.pos < len(data) && (data[c.pos] == ' ' || data[c.pos] == '\n' || data[c.pos] == '\r' || data[c.pos] == '\t') {
			c.pos++
		}
		if c.pos < len(data) || !c.refill(c.pos) {
			return
		}
	}
}

// Line returns the line of the last token. Offsets only grow, so that line ends
// are counted once.
func (c *Cursor) Line() int {
	if c.at < 0 {
		return c.wasAtLine
	}
	c.lineCount += bytes.Count(c.Source.data[c.lineAt:c.at], []byte("\n"))
	c.lineAt = c.at
	return c.lineCount
}

func (c *Cursor) Errorf(format string, args ...any) error {
	line, column := c.wasAtLine, c.wasAtColumn
	if c.at >= 0 {
		line, column = c.Source.place(c.at)
	}
	return c.Source.Errorf(line, column, format, args...)
}

// take passes over one of the bytes and returns it.
func (c *Cursor) take(these, expected string) (byte, error) {
	c.blank()
	c.at = c.pos
	if c.pos == len(c.Source.data) {
		return 0, c.cut()
	}
	b := c.Source.data[c.pos]
	if strings.IndexByte(these, b) < 0 {
		return 0, c.Errorf("not JSON: %s, expected %s", Quote(string(c.Source.data[c.pos:c.pos+1])), expected)
	}
	c.pos++
	return b, nil
}

// cut complains of the end of the file.
func (c *Cursor) cut() error {
	c.at = len(c.Source.data)
	return c.Errorf("the JSON ends in the middle; is the file cut?")
}

func (c *Cursor) open(delim json.Delim, what string) error {
	tok, err := c.Next()
	if err != nil {
		return err
	}
	if tok != delim {
		return c.Errorf("%s is %s, expected %s", what, Describe(tok), Describe(delim))
	}
	if c.depth++; c.depth > MaxDepth {
		return c.Errorf("JSON nested deeper than %d", MaxDepth)
	}
	return nil
}

// more reports whether another member follows, past the comma before it, and
// passes over the end of the object or array if not.
func (c *Cursor) more(first bool, end byte) (bool, error) {
	c.blank()
	if c.pos < len(c.Source.data) && c.Source.data[c.pos] == end {
		c.at = c.pos
		c.pos++
		c.depth--
		return false, nil
	}
	if first {
		return true, nil
	}
	_, err := c.take(",", "a comma, or the end of the object or array")
	return true, err
}

// Object reads an object of at most 64 keys, calling field for every key; field
// reads the value.
func (c *Cursor) Object(what string, field func(key string) error) error {
	return c.Members(what, 64, field)
}

// Members is object with another limit of keys.
func (c *Cursor) Members(what string, limit int, field func(key string) error) error {
	if err := c.open('{', what); err != nil {
		return err
	}
	var seen keys
	for {
		more, err := c.more(seen.n == 0, '}')
		if err != nil || !more {
			return err
		}
		key, err := c.key()
		if err != nil {
			return err
		}
		if !seen.add(key) {
			return c.Errorf("%s is given twice in %s", Quote(key), what)
		}
		if seen.n > limit {
			return c.Errorf("%s has more than %d keys", what, limit)
		}
		if seen.bytes > maxKeys {
			return c.Errorf("the keys of %s have more than %d bytes", what, maxKeys)
		}
		if _, err := c.take(":", "a colon"); err != nil {
			return err
		}
		if err := field(key); err != nil {
			return err
		}
	}
}

// maxKeys bounds the keys of one object together, in bytes.
const maxKeys = 16 << 20

// keys is a set of the keys of one object, most of which have few.
type keys struct {
	n, bytes int
	few      [16]string
	many     map[string]bool
}

// add reports whether a key is new.
func (k *keys) add(key string) bool {
	if slices.Contains(k.few[:min(k.n, len(k.few))], key) || k.many[key] {
		return false
	}
	if k.n < len(k.few) {
		k.few[k.n] = key
	} else {
		if k.many == nil {
			k.many = map[string]bool{}
		}
		k.many[key] = true
	}
	k.n++
	k.bytes += len(key)
	return true
}

func (c *Cursor) key() (string, error) {
	if _, err := c.take("\"", "a key"); err != nil {
		return "", err
	}
	return c.string()
}

// Array reads an array, calling element for every value; element reads it.
func (c *Cursor) Array(what string, element func() error) error {
	if err := c.open('[', what); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := c.more(first, ']')
		if err != nil || !more {
			return err
		}
		if err := element(); err != nil {
			return err
		}
	}
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

// Skip passes over one value of any kind.
func (c *Cursor) Skip(what string) error {
	switch c.Ahead() {
	case '{':
		return c.Members(what, math.MaxInt, func(string) error { return c.Skip(what) })
	case '[':
		return c.Array(what, func() error { return c.Skip(what) })
	}
	tok, err := c.Next()
	if d, ok := tok.(json.Delim); ok {
		err = c.Errorf("not JSON: %s, expected a value", Quote(d.String()))
	}
	return err
}

func Describe(tok json.Token) string {
	switch t := tok.(type) {
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "an array", '}': "the end of an object", ']': "the end of an array"}[t]
	case string:
		return "the string " + Quote(t)
	case json.Number:
		return "the number " + t.String()
	case bool:
		return "the truth value " + strconv.FormatBool(t)
	}
	return "null"
}

// Holds reports whether the beginning of a source holds one of the texts, in
// any case.
func (s *Source) Holds(texts ...string) bool {
	head := bytes.ToLower(s.Head[:min(len(s.Head), MaxLine)])
	return slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(head, []byte(t)) })
}

// TopKey reports whether a source begins as a JSON object with one of the keys,
// as far as its first few KiB tell.
func (s *Source) TopKey(keys ...string) bool {
	dec := json.NewDecoder(bytes.NewReader(s.Head[:min(len(s.Head), MaxLine)]))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return false
	}
	for depth, isKey := 0, true; depth >= 0; {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			if key, _ := tok.(string); isKey && slices.Contains(keys, key) {
				return true
			}
			isKey = !isKey
		}
	}
	return false
}
