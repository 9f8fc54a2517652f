package papers

import (
	"math"
	"path/filepath"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
)

// Seconds returns a span of n seconds.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Deviation returns how far x is from want, relative to it where it is above 1.
func Deviation(x, want float64) float64 { return math.Abs(x-want) / max(1, math.Abs(want)) }

// NotPulled is the error of a figure whose recorded trace is not in the cache:
// the verdict on its claims is then Missing, if they are not open.
type NotPulled struct {
	Set string // the data set
	error
}

// PulledFile returns the path of a file of a pulled data set that is kept as it is, by its path in the repository;
// without the set, the error is NotPulled.
func PulledFile(name, path string) (string, error) {
	dir, err := catalogue.PulledDir(name)
	if err != nil {
		return "", NotPulled{name, err}
	}
	return filepath.Join(dir, filepath.FromSlash(path)), nil
}

// PulledSet reads a pulled data set; without it, the error is NotPulled.
func PulledSet(name string) (*traces.Set, error) {
	dir, err := catalogue.PulledDir(name)
	if err != nil {
		return nil, NotPulled{name, err}
	}
	return traces.Read(dir)
}
