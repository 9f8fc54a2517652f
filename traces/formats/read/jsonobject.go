package read

import (
	"encoding/json"
	"math"
	"slices"
)

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
