package read

import (
	"bytes"
	"regexp"
	"strings"
)

// Cursor walks through the JSON of a source value by value, and knows where it
// is. It reads the bytes itself: positions stay exact, names that come again
// cost nothing, and a token that never ends is refused before it fills the memory.
// 50 MB of prices of AWS are imported in 0.42 s of processor time; encoding/json's
// Token alone takes 1.2 s (docs/design/016-reading-traces.md). Offsets are into the
// source's window.
type Cursor struct {
	Source *Source
	pos    int // next byte
	depth  int
	at     int               // where the last token starts; below 0: it left the window
	words  map[string]string // texts met before

	lineAt, lineCount      int // an offset not behind at, and its line
	lineEnd                int // one behind the last line end before lineAt in the window, 0: there is none
	wasAtLine, wasAtColumn int // where the token is that left the window
}

// NewCursor returns a cursor at the beginning of a source.
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
	c.lineAt = 0
	c.lineCount = c.Source.line + 1
	c.lineEnd = 0
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

func isBlank(char byte) bool { return char == ' ' || char == '\n' || char == '\r' || char == '\t' }

// blank passes over white space.
func (c *Cursor) blank() {
	for {
		data := c.Source.data
		for c.pos < len(data) && isBlank(data[c.pos]) {
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
	passed := c.Source.data[c.lineAt:c.at]
	if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
		c.lineCount += bytes.Count(passed, []byte("\n"))
		c.lineEnd = c.lineAt + i + 1
	}
	c.lineAt = c.at
	return c.lineCount
}

// Place returns the line and the column of the last token, as Errorf does.
func (c *Cursor) Place() (line, column int) {
	line = c.Line()
	switch {
	case c.at < 0:
		return line, c.wasAtColumn
	case c.lineEnd > 0:
		return line, c.at - c.lineEnd + 1
	}
	return line, c.Source.column + c.at + 1
}

// Errorf complains about the token that was read last.
func (c *Cursor) Errorf(format string, args ...any) error {
	line := c.wasAtLine
	column := c.wasAtColumn
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

// Fields are the readers of the values of an object, by key.
type Fields map[string]func(key string) error

// Fields reads an object of at most 64 keys, each value by its reader. What has none is
// skipped, and its key given to other, which may be nil.
func (c *Cursor) Fields(what string, fields Fields, other func(key string)) error {
	return c.Object(what, func(key string) error {
		if field := fields[key]; field != nil {
			return field(key)
		}
		if other != nil {
			other(key)
		}
		return c.Skip(key)
	})
}

// To is a reader that keeps what a method of a cursor reads.
func To[T any](into *T, method func(what string) (T, error)) func(key string) error {
	return func(key string) (err error) {
		*into, err = method(key)
		return err
	}
}

// ToNew is To for a value that may be missing.
func ToNew[T any](into **T, method func(what string) (T, error)) func(key string) error {
	return func(key string) error {
		*into = new(T)
		return To(*into, method)(key)
	}
}

// Each is a reader of an array, of which element reads every value.
func (c *Cursor) Each(element func() error) func(key string) error {
	return func(key string) error { return c.Array(key, element) }
}

// Seen is a reader that notes that its key is there.
func Seen(found *bool, field func(key string) error) func(key string) error {
	return func(key string) error {
		*found = true
		return field(key)
	}
}

// Names is a reader of an array of names, each of which is called what in errors.
func (c *Cursor) Names(into *[]string, what string) func(key string) error {
	return c.Each(func() error {
		name, err := c.Name(what)
		*into = append(*into, name)
		return err
	})
}

// Values reads the values of a whole file, by itself or in arrays, by element.
func (c *Cursor) Values(element func() error) error {
	for !c.Done() {
		read := element
		if c.Ahead() == '[' {
			read = func() error { return c.Array("the file", element) }
		}
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// TextOf reads a string of at most limit bytes.
func (c *Cursor) TextOf(limit int) func(what string) (string, error) {
	return func(what string) (string, error) { return c.Text(what, limit) }
}

// In reads a number from lo to hi.
func (c *Cursor) In(lo, hi float64) func(what string) (float64, error) {
	return func(what string) (float64, error) { return c.Between(what, lo, hi) }
}

// FirstMatches reports whether the first line that is not blank matches a pattern.
func (s *Source) FirstMatches(pattern func() *regexp.Regexp) bool {
	for l := range s.Beginning().Lines() {
		return pattern().MatchString(l.Text)
	}
	return false
}
