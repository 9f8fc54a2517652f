package read

import "regexp"

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

// First returns the first record of a table, as far as the beginning of the source goes, without quotes; "" if there is none.
func (s *Source) First() string {
	for l := range s.Beginning().Records() {
		return l.Plain()
	}
	return ""
}

// FirstMatches reports whether the first line that is not blank matches a pattern.
func (s *Source) FirstMatches(pattern func() *regexp.Regexp) bool {
	for l := range s.Beginning().Lines() {
		return pattern().MatchString(l.Text)
	}
	return false
}
