package jobs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// cells are the values of a row by column. The first that cannot be read is the error
// of the row; what is read after it does not count.
type cells struct {
	line   read.Line
	names  []string
	text   []string
	column []int
	err    error
}

func newCells(l read.Line, names []string) (*cells, error) {
	text, column, err := l.Fields(len(names))
	return &cells{line: l, names: names, text: text, column: column}, err
}

// get returns the text of a column, "" where there is none.
func (c *cells) get(name string) string {
	for i, n := range c.names {
		if n == name {
			return c.text[i]
		}
	}
	return ""
}

// complain returns an error about the value of a column.
func (c *cells) complain(name, format string, args ...any) error {
	at := 1
	for i, n := range c.names {
		if n == name {
			at = c.column[i]
		}
	}
	return c.line.ErrorAt(at, "%s %s %s", name, read.Quote(c.get(name)), fmt.Sprintf(format, args...))
}

// fail keeps the first error.
func (c *cells) fail(name string, err error) {
	if c.err == nil {
		c.err = c.complain(name, "%v", err)
	}
}

// name reads a name, which may be empty.
func (c *cells) name(column string) string {
	s := c.get(column)
	if s != "" {
		if err := read.CheckName(s); err != nil {
			c.fail(column, err)
		}
	}
	return s
}

// needed reads a name that must be there.
func (c *cells) needed(column string) string {
	if c.get(column) == "" {
		c.fail(column, fmt.Errorf("expected a name"))
	}
	return c.name(column)
}

// number reads a number from lo to hi; nil where the column is empty or absent.
func (c *cells) number(column string, lo, hi float64) *float64 {
	s := c.get(column)
	if s == "" {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= lo && x <= hi) {
		c.fail(column, fmt.Errorf("expected a number from %v to %v", lo, hi))
		return nil
	}
	return &x
}

// amount is number that must be there.
func (c *cells) amount(column string, lo, hi float64) float64 {
	x := c.number(column, lo, hi)
	if x == nil {
		c.fail(column, fmt.Errorf("expected a number from %v to %v", lo, hi))
		return 0
	}
	return *x
}

// count reads a whole number; nil where the column is empty or absent.
func (c *cells) count(column string) *int32 {
	s := c.get(column)
	if s == "" {
		return nil
	}
	n, err := read.WholeNumber(s)
	if err != nil {
		c.fail(column, err)
	}
	return &n
}

// span reads a length of time in a unit, 0 or more; nil where the column is empty or
// absent. Fractions of a microsecond are rounded.
func (c *cells) span(column string, unit time.Duration) *int64 {
	s := c.get(column)
	if s == "" {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	us := math.Round(x * float64(unit.Microseconds()))
	if err != nil || !(us >= 0 && us <= traces.MaxInstant) {
		c.fail(column, fmt.Errorf("expected a time of 0 or more, in units of %v, below the year 2199", unit))
		return nil
	}
	n := int64(us)
	return &n
}

// since reads an instant as a length of time behind an origin, us UTC.
func (c *cells) since(column string, unit time.Duration, origin int64) int64 {
	us := c.span(column, unit)
	if us == nil {
		c.fail(column, fmt.Errorf("expected a time of 0 or more, in units of %v", unit))
		return 0
	}
	if *us > traces.MaxInstant-origin {
		c.fail(column, fmt.Errorf("is after the year 2199"))
		return 0
	}
	return origin + *us
}

// instant reads a date and time, with an offset from UTC or without a zone; false for
// none: an empty text, None or null.
func (c *cells) instant(column string) (us int64, there bool) {
	us, there, err := calendar(c.get(column))
	if err != nil {
		c.fail(column, err)
	}
	return us, there
}

// calendar reads `2006-01-02 15:04:05`, with an offset such as +08:00 or without.
func calendar(text string) (us int64, there bool, err error) {
	switch strings.ToLower(text) {
	case "", "none", "null", "nan", "nat":
		return 0, false, nil
	}
	t, err := read.CalendarUTC(text)
	if err != nil {
		t, err = time.Parse("2006-01-02 15:04:05Z07:00", text)
	}
	if err != nil {
		return 0, false, fmt.Errorf("expected a date and time, for instance 2017-10-09 07:01:55")
	}
	us, err = traces.Instant(t.UTC())
	return us, err == nil, err
}

var (
	errAbove0   = errors.New("expected a time above 0")
	errDeadline = errors.New("expected a time above 0, or nothing where there is no deadline")
	errBool     = errors.New("expected 0 or 1")
	errWhole    = errors.New("expected a whole number")
	errManyGPUs = fmt.Errorf("expected at most %d GPUs of one job", traces.MaxMachines)
)
