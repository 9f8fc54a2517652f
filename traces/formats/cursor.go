package formats

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces"
)

// cursor walks through the JSON of a source value by value, and knows where it
// is. It reads the bytes itself: positions stay exact, and names that come again
// cost nothing. Its offsets are into the source's window.
type cursor struct {
	src   *source
	pos   int // next byte
	depth int
	at    int               // where the last token starts; below 0: it left the window
	words map[string]string // texts met before

	lineAt, lineCount      int // an offset not behind at, and its line
	wasAtLine, wasAtColumn int // where the token is that left the window
}

func newCursor(s *source) *cursor {
	return &cursor{src: s, words: map[string]string{}, lineCount: 1}
}

// refill brings in more text; what is before from is not needed any longer. It
// reports whether more came.
func (c *cursor) refill(from int) bool {
	if 0 <= c.at && c.at < from {
		c.wasAtLine, c.wasAtColumn = c.src.place(c.at)
		c.at = -1
	}
	more := c.src.fill(from)
	c.pos -= from
	c.at = max(c.at-from, -1)
	c.lineAt, c.lineCount = 0, c.src.line+1
	return more
}

// there reports whether the token under way has another byte at n behind pos.
func (c *cursor) there(n int) bool {
	return c.pos+n < len(c.src.data) || c.refill(c.at) // at is the token's first byte
}

// done reports whether only white space is left.
func (c *cursor) done() bool {
	c.blank()
	return c.pos == len(c.src.data)
}

// ahead returns the first byte of the next value, 0 at the end.
func (c *cursor) ahead() byte {
	if c.done() {
		return 0
	}
	return c.src.data[c.pos]
}

// blank passes over white space.
func (c *cursor) blank() {
	for {
		data := c.src.data
		for c.pos < len(data) && (data[c.pos] == ' ' || data[c.pos] == '\n' || data[c.pos] == '\r' || data[c.pos] == '\t') {
			c.pos++
		}
		if c.pos < len(data) || !c.refill(c.pos) {
			return
		}
	}
}

// line returns the line of the last token. Offsets only grow, so that line ends
// are counted once.
func (c *cursor) line() int {
	if c.at < 0 {
		return c.wasAtLine
	}
	c.lineCount += bytes.Count(c.src.data[c.lineAt:c.at], []byte("\n"))
	c.lineAt = c.at
	return c.lineCount
}

func (c *cursor) errorf(format string, args ...any) error {
	line, column := c.wasAtLine, c.wasAtColumn
	if c.at >= 0 {
		line, column = c.src.place(c.at)
	}
	return c.src.errorf(line, column, format, args...)
}

// take passes over one of the bytes and returns it.
func (c *cursor) take(these, expected string) (byte, error) {
	c.blank()
	c.at = c.pos
	if c.pos == len(c.src.data) {
		return 0, c.cut()
	}
	b := c.src.data[c.pos]
	if strings.IndexByte(these, b) < 0 {
		return 0, c.errorf("not JSON: %s, expected %s", quote(string(c.src.data[c.pos:c.pos+1])), expected)
	}
	c.pos++
	return b, nil
}

// cut complains of the end of the file.
func (c *cursor) cut() error {
	c.at = len(c.src.data)
	return c.errorf("the JSON ends in the middle; is the file cut?")
}

func (c *cursor) open(delim json.Delim, what string) error {
	tok, err := c.next()
	if err != nil {
		return err
	}
	if tok != delim {
		return c.errorf("%s is %s, expected %s", what, describeToken(tok), describeToken(delim))
	}
	if c.depth++; c.depth > maxDepth {
		return c.errorf("JSON nested deeper than %d", maxDepth)
	}
	return nil
}

// more reports whether another member follows, past the comma before it, and
// passes over the end of the object or array if not.
func (c *cursor) more(first bool, end byte) (bool, error) {
	c.blank()
	if c.pos < len(c.src.data) && c.src.data[c.pos] == end {
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

// object reads an object of at most 64 keys, calling field for every key; field
// reads the value.
func (c *cursor) object(what string, field func(key string) error) error {
	return c.members(what, 64, field)
}

// members is object with another limit of keys.
func (c *cursor) members(what string, limit int, field func(key string) error) error {
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
			return c.errorf("%s is given twice in %s", quote(key), what)
		}
		if seen.n > limit {
			return c.errorf("%s has more than %d keys", what, limit)
		}
		if seen.bytes > maxKeys {
			return c.errorf("the keys of %s have more than %d bytes", what, maxKeys)
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

func (c *cursor) key() (string, error) {
	if _, err := c.take("\"", "a key"); err != nil {
		return "", err
	}
	return c.string()
}

// array reads an array, calling element for every value; element reads it.
func (c *cursor) array(what string, element func() error) error {
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

// text reads a string of at most limit bytes.
func (c *cursor) text(what string, limit int) (string, error) {
	if err := c.quoted(what); err != nil {
		return "", err
	}
	s, err := c.string()
	if err == nil && len(s) > limit {
		err = c.errorf("%s has %d bytes, expected at most %d", what, len(s), limit)
	}
	return s, err
}

// quoted passes over the quote at which a string begins.
func (c *cursor) quoted(what string) error {
	if c.ahead() != '"' {
		tok, err := c.next()
		if err != nil {
			return err
		}
		return c.errorf("%s is %s, expected a string", what, describeToken(tok))
	}
	c.at = c.pos
	c.pos++
	return nil
}

// value reads a string of plain ASCII that is likely met once: the bytes of the
// source. A string of another kind is not plain, and is left to be read by text.
func (c *cursor) value() (text []byte, plain bool) {
	if c.ahead() != '"' {
		return nil, false
	}
	data := c.src.data[c.pos+1:]
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

// number reads a number and returns its text.
func (c *cursor) number(what string) (string, error) {
	tok, err := c.next()
	if err != nil {
		return "", err
	}
	n, ok := tok.(json.Number)
	if !ok {
		return "", c.errorf("%s is %s, expected a number", what, describeToken(tok))
	}
	return n.String(), nil
}

// skip passes over one value of any kind.
func (c *cursor) skip(what string) error {
	switch c.ahead() {
	case '{':
		return c.members(what, math.MaxInt, func(string) error { return c.skip(what) })
	case '[':
		return c.array(what, func() error { return c.skip(what) })
	}
	tok, err := c.next()
	if d, ok := tok.(json.Delim); ok {
		err = c.errorf("not JSON: %s, expected a value", quote(d.String()))
	}
	return err
}

func describeToken(tok json.Token) string {
	switch t := tok.(type) {
	case json.Delim:
		return map[json.Delim]string{'{': "an object", '[': "an array", '}': "the end of an object", ']': "the end of an array"}[t]
	case string:
		return "the string " + quote(t)
	case json.Number:
		return "the number " + t.String()
	case bool:
		return "the truth value " + strconv.FormatBool(t)
	}
	return "null"
}

// holds reports whether the beginning of a source holds one of the texts, in
// any case.
func (s *source) holds(texts ...string) bool {
	head := bytes.ToLower(s.head[:min(len(s.head), maxLine)])
	return slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(head, []byte(t)) })
}

// topKey reports whether a source begins as a JSON object with one of the keys,
// as far as its first few KiB tell.
func (s *source) topKey(keys ...string) bool {
	dec := json.NewDecoder(bytes.NewReader(s.head[:min(len(s.head), maxLine)]))
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
