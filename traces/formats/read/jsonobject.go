package read

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/marigram/marigram/traces"
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

// Name reads a string that names something.
func (c *Cursor) Name(what string) (string, error) {
	s, err := c.Text(what, traces.MaxName)
	return s, c.checkName(what, s, err)
}

// checkName is err, or else what is wrong with a name.
func (c *Cursor) checkName(what, name string, err error) error {
	if bad := CheckName(name); err == nil && bad != nil {
		return c.Errorf("%s %s, %v", what, Quote(name), bad)
	}
	return err
}

// MaybeName is Name of a string that may be empty.
func (c *Cursor) MaybeName(what string) (string, error) {
	s, err := c.Text(what, traces.MaxName)
	if s != "" {
		err = c.checkName(what, s, err)
	}
	return s, err
}

// NameOrNull is MaybeName of a string, or null, which is "".
func (c *Cursor) NameOrNull(what string) (string, error) {
	s, err := c.TextOrNull(what)
	if s != "" {
		err = c.checkName(what, s, err)
	}
	return s, err
}

// TextOrNull reads a string of at most MaxName bytes, "" for null.
func (c *Cursor) TextOrNull(what string) (string, error) {
	if c.Ahead() == '"' {
		return c.Text(what, traces.MaxName)
	}
	tok, err := c.Next()
	if err == nil && tok != nil {
		err = c.Errorf("%s is %s, expected a string or null", what, Describe(tok))
	}
	return "", err
}

// USD reads a decimal string in nano-USD.
func (c *Cursor) USD(what string) (int64, error) { return Value(c, what, traces.ParseUSD) }

// Value reads a string by parse.
func Value[T any](c *Cursor, what string, parse func(string) (T, error)) (T, error) {
	text, err := c.plainText(what)
	if err != nil {
		var none T
		return none, err
	}
	return parsed(c, what, text, parse)
}

// parsed parses the text of the last token.
func parsed[T any](c *Cursor, what, text string, parse func(string) (T, error)) (T, error) {
	value, err := parse(text)
	if err != nil {
		return value, c.Errorf("%s", Complaint(what, text, err))
	}
	return value, nil
}

// Decimal reads a string or a number as text.
func (c *Cursor) Decimal(what string) (string, error) {
	tok, err := c.Next()
	if err != nil {
		return "", err
	}
	text, ok := tok.(string)
	if n, isNumber := tok.(json.Number); isNumber {
		text = n.String()
		ok = true
	}
	if !ok {
		return "", c.Errorf("%s is %s, expected a decimal number", what, Describe(tok))
	}
	return text, nil
}

// USDNumber reads a decimal string or a number in nano-USD.
func (c *Cursor) USDNumber(what string) (int64, error) {
	if c.Ahead() == '"' {
		return c.USD(what)
	}
	text, err := c.Decimal(what)
	if err != nil {
		return 0, err
	}
	return parsed(c, what, text, traces.ParseUSD)
}

// Dollars reads a currency, which has to be USD.
func (c *Cursor) Dollars(what string) error {
	s, err := c.Text(what, traces.MaxName)
	if err == nil && s != "USD" {
		err = c.Errorf("%s %s, expected USD", what, Quote(s))
	}
	return err
}

// Instant reads an RFC 3339 string in us UTC.
func (c *Cursor) Instant(what string) (int64, error) { return Value(c, what, Instant) }

// InstantUTC reads an RFC 3339 string, or a date and time without a zone, which
// is taken as UTC.
func (c *Cursor) InstantUTC(what string) (int64, error) {
	return Value(c, what, func(text string) (int64, error) {
		us, _, err := CalendarInstant(text)
		return us, err
	})
}

// Between reads a number from lo to hi.
func (c *Cursor) Between(what string, lo, hi float64) (float64, error) {
	text, err := c.Number(what)
	if err != nil {
		return 0, err
	}
	return parsed(c, what, text, Number(lo, hi))
}

// Token reads the place where a page goes on, empty or null where it does not.
func (c *Cursor) Token(what string) (string, error) {
	tok, err := c.Next()
	if err != nil || tok == nil {
		return "", err
	}
	text, ok := tok.(string)
	if !ok || len(text) > MaxToken {
		return "", c.Errorf("%s is %s, expected a string of at most %d bytes", what, Describe(tok), MaxToken)
	}
	return text, nil
}

// Count reads a number of machines.
func (c *Cursor) Count(what string) (int32, error) {
	text, err := c.Number(what)
	if err != nil {
		return 0, err
	}
	return parsed(c, what, text, WholeNumber)
}

// Seconds reads a positive number of seconds, exact to the microsecond.
func (c *Cursor) Seconds(what string) (int64, error) {
	text, err := c.Number(what)
	if err != nil {
		return 0, err
	}
	return parsed(c, what, text, func(text string) (int64, error) {
		us, err := Seconds(text)
		if err != nil || us == 0 || us >= 1e13 {
			return 0, errors.New("expected seconds above 0 and below 10^7, to the microsecond")
		}
		return us, nil
	})
}
