package traces

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
)

// cursor walks through the JSON of a source token by token, and knows where it
// is.
type cursor struct {
	src   *source
	dec   *json.Decoder
	depth int
	at    int64 // offset at which the last token starts

	lineAt    int64 // an offset not behind at, and its line
	lineCount int
}

func newCursor(s *source) *cursor {
	dec := json.NewDecoder(bytes.NewReader(s.data))
	dec.UseNumber()
	return &cursor{src: s, dec: dec, lineCount: 1}
}

// done reports whether only white space is left.
func (c *cursor) done() bool {
	return len(bytes.TrimSpace(c.src.data[c.dec.InputOffset():])) == 0
}

// ahead returns the first byte of the next value, 0 at the end.
func (c *cursor) ahead() byte {
	rest := bytes.TrimLeft(c.src.data[c.dec.InputOffset():], " \t\r\n,")
	if len(rest) == 0 {
		return 0
	}
	return rest[0]
}

// line returns the line of the last token. Offsets only grow, so that a file's
// line ends are counted once.
func (c *cursor) line() int {
	c.lineCount += bytes.Count(c.src.data[c.lineAt:c.at], []byte("\n"))
	c.lineAt = c.at
	return c.lineCount
}

func (c *cursor) errorf(format string, args ...any) error {
	start := bytes.LastIndexByte(c.src.data[:c.at], '\n') + 1
	return c.src.errorf(c.line(), int(c.at)-start+1, format, args...)
}

func (c *cursor) next() (json.Token, error) {
	at := c.dec.InputOffset()
	for at < int64(len(c.src.data)) && bytes.IndexByte([]byte(" \t\r\n,:"), c.src.data[at]) >= 0 {
		at++
	}
	c.at = at
	tok, err := c.dec.Token()
	if err == nil {
		return tok, nil
	}
	var syntax *json.SyntaxError
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || c.at == int64(len(c.src.data)) {
		c.at = int64(len(c.src.data))
		return nil, c.errorf("the JSON ends in the middle; is the file cut?")
	}
	if errors.As(err, &syntax) {
		c.at = max(c.at, min(syntax.Offset-1, int64(len(c.src.data)-1)))
	}
	return nil, c.errorf("not JSON: %v", err)
}

func (c *cursor) open(delim json.Delim, what string) error {
	tok, err := c.next()
	if err != nil {
		return err
	}
	if tok != delim {
		return c.errorf("%s is %s, expected %s", what, describe(tok), describe(delim))
	}
	if c.depth++; c.depth > maxDepth {
		return c.errorf("JSON nested deeper than %d", maxDepth)
	}
	return nil
}

func (c *cursor) close() error {
	c.depth--
	_, err := c.next()
	return err
}

// object reads an object of at most 64 keys, calling field for every key; field
// reads the value.
func (c *cursor) object(what string, field func(key string) error) error {
	return c.wideObject(what, 64, field)
}

// wideObject is object with another limit of keys.
func (c *cursor) wideObject(what string, limit int, field func(key string) error) error {
	if err := c.open('{', what); err != nil {
		return err
	}
	seen := make(map[string]bool, 8)
	for c.dec.More() {
		tok, err := c.next()
		if err != nil {
			return err
		}
		key, _ := tok.(string)
		if seen[key] {
			return c.errorf("%s is given twice in %s", quote(key), what)
		}
		if seen[key] = true; len(seen) > limit {
			return c.errorf("%s has more than %d keys", what, limit)
		}
		if err := field(key); err != nil {
			return err
		}
	}
	return c.close()
}

// array reads an array, calling element for every value; element reads it.
func (c *cursor) array(what string, element func() error) error {
	if err := c.open('[', what); err != nil {
		return err
	}
	for c.dec.More() {
		if err := element(); err != nil {
			return err
		}
	}
	return c.close()
}

// text reads a string of at most limit bytes.
func (c *cursor) text(what string, limit int) (string, error) {
	tok, err := c.next()
	if err != nil {
		return "", err
	}
	s, ok := tok.(string)
	if !ok {
		return "", c.errorf("%s is %s, expected a string", what, describe(tok))
	}
	if len(s) > limit {
		return "", c.errorf("%s has %d bytes, expected at most %d", what, len(s), limit)
	}
	return s, nil
}

// number reads a number and returns its text.
func (c *cursor) number(what string) (string, error) {
	tok, err := c.next()
	if err != nil {
		return "", err
	}
	n, ok := tok.(json.Number)
	if !ok {
		return "", c.errorf("%s is %s, expected a number", what, describe(tok))
	}
	return n.String(), nil
}

// skip passes over one value of any kind.
func (c *cursor) skip(what string) error {
	for depth := 0; ; {
		tok, err := c.next()
		if err != nil {
			return err
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			if depth++; c.depth+depth > maxDepth {
				return c.errorf("JSON nested deeper than %d in %s", maxDepth, what)
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func describe(tok json.Token) string {
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
	head := bytes.ToLower(s.data[:min(len(s.data), maxLine)])
	return slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(head, []byte(t)) })
}

// topKey reports whether a source begins as a JSON object with one of the keys,
// as far as its first few KiB tell.
func topKey(s *source, keys ...string) bool {
	dec := json.NewDecoder(bytes.NewReader(s.data[:min(len(s.data), maxLine)]))
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
