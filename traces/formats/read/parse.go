package read

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/marigram/marigram/traces"
)

var errSeconds = errors.New("expected seconds from 0, to the microsecond")

// Quote quotes a value for a message, cut to a readable length.
func Quote(s string) string {
	if len(s) > 64 {
		return fmt.Sprintf("%q...", s[:64])
	}
	return fmt.Sprintf("%q", s)
}

// ParseName returns a text that names something, and why it does not.
func ParseName(text string) (string, error) { return text, CheckName(text) }

// CheckName returns why a text is no name, nil if it is one.
func CheckName(s string) error {
	if s == "" || len(s) > traces.MaxName {
		return fmt.Errorf("expected a name of 1 to %d bytes", traces.MaxName)
	}
	for _, c := range s {
		if !unicode.IsPrint(c) || c == 0xfffd {
			return fmt.Errorf("expected a name of characters that can be printed")
		}
	}
	return nil
}

// Instant returns an RFC 3339 text in us UTC.
func Instant(text string) (int64, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, errors.New("expected RFC 3339, for instance 2020-02-20T22:06:16.000Z")
	}
	return traces.Instant(t.UTC())
}

// Calendar is a reader of dates and times of a layout, taken as UTC, in us, with an example for its complaint.
func Calendar(layout, example string) func(string) (int64, error) {
	return func(text string) (int64, error) {
		t, err := time.Parse(layout, text)
		if err != nil {
			return 0, errors.New("expected for instance " + example)
		}
		return traces.Instant(t)
	}
}

// CalendarUTC reads a date and time without a zone, taken as UTC, with a blank or
// a T between the two.
func CalendarUTC(text string) (time.Time, error) {
	if t, err := time.Parse(time.DateTime, text); err == nil {
		return t, nil
	}
	return time.Parse("2006-01-02T15:04:05", text)
}

// CalendarInstant reads a date and time in us UTC, with a blank or a T between the two, and whether it ends with a
// zone: Z or an offset. Without one it is taken as UTC.
func CalendarInstant(text string) (us int64, zoned bool, err error) {
	t, err := CalendarUTC(text)
	if err != nil {
		zoned = true
		if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
			text = text[:len(time.DateOnly)] + "T" + text[len(time.DateOnly)+1:]
		}
		t, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return 0, false, errors.New("expected for instance 2020-02-20 22:06:16, 2020-02-20T22:06:16Z or " +
			"2020-02-20 22:06:16+01:00")
	}
	us, err = traces.Instant(t.UTC())
	return us, zoned, err
}

// Seconds reads seconds, 0 or more and to the microsecond.
func Seconds(text string) (int64, error) {
	whole, part, dotted := strings.Cut(text, ".")
	part = strings.TrimRight(part, "0")
	if whole == "" || dotted && text[len(text)-1] == '.' || !IsDigits(whole) || !IsDigits(part) || len(whole) > 10 ||
		len(part) > 6 {
		return 0, errSeconds
	}
	us, err := strconv.ParseInt(whole+part+strings.Repeat("0", 6-len(part)), 10, 64)
	if err != nil || us > traces.MaxInstant {
		return 0, errSeconds
	}
	return us, nil
}

// WholeNumber reads a number of machines or GPUs.
func WholeNumber(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > traces.MaxMachines || text[0] == '+' {
		return 0, fmt.Errorf("expected a whole number from 0 to %d", traces.MaxMachines)
	}
	return int32(n), nil
}

// Number is a reader of decimal numbers from lo to hi.
func Number(lo, hi float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= lo && x <= hi) || strings.ContainsAny(text, "_xX") {
			return 0, fmt.Errorf("expected a number from %v to %v", lo, hi)
		}
		return x, nil
	}
}

// IsDigits reports whether a text has no other characters than digits.
func IsDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// Pattern returns a function that returns the compiled expression, always the same: compiling all of the formats at
// the start would take a millisecond. It may be called from several goroutines. It panics if the expression is none.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
