package traces

import (
	"fmt"
	"time"
)

// Bounds of the neutral form, far above every known data set.
const (
	MaxName     = 128     // bytes of a name: zone, type, machine
	MaxMachines = 1 << 20 // of one pool

	// DefaultMaxFileBytes is the most text of a source file that is held in memory;
	// Options.MaxFileBytes raises it.
	DefaultMaxFileBytes = 256 << 20
)

// Instants believed, us UTC: 1970 to 2199.
const (
	minInstant = 0
	MaxInstant = 7_258_118_400_000_000
)

// DataError is bad data: where it is, what is there, and what was expected.
// Line and Column count from 1, the column in bytes; they are 0 where the file
// as a whole is meant. Option is the option of an import that answers what the file
// does not say, polarity for --polarity; it is empty where no option does.
type DataError struct {
	File         string
	Line, Column int
	Msg          string
	Option       string
}

// Error puts the place before the message: file, line and column.
func (e *DataError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Instant returns a time in microseconds, and why it is not believed.
func Instant(t time.Time) (int64, error) {
	us := t.UnixMicro()
	if t.Year() < 1970 || t.Year() > 2199 {
		return 0, fmt.Errorf("is out of range, expected a year from 1970 to 2199")
	}
	if t.Nanosecond()%1000 != 0 {
		return 0, fmt.Errorf("is finer than a microsecond")
	}
	return us, nil
}

// Stamp is an instant for people and JSON: RFC 3339 UTC, to the millisecond.
func Stamp(us int64) string {
	return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.000Z")
}
