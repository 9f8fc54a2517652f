package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/internal/document"
)

// MaxSeeds is the most seeds of a study: run keeps a row of each in memory.
const MaxSeeds = 1_000_000

// Bounds on what else a spec may ask for.
const (
	maxHorizonS = 20 * 366 * 86400
	maxQuota    = 4096
	maxZones    = 26
	maxRegions  = 64
)

// seconds is a number of seconds as a span, to the nanosecond.
func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// short is a number as a spec has it.
func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// quantity is a number of a spec, which is at least 0.
type quantity struct {
	name string
	x    float64
}

func (q quantity) check(most float64) error {
	if q.x < 0 || q.x > most {
		return fmt.Errorf("%s is %v, expected 0 to %v", q.name, q.x, most)
	}
	return nil
}

// checkName returns why a text cannot name a study, an objective or a policy, nil
// if it can: names go into terminals, file names and spreadsheets.
func checkName(s string) error {
	switch {
	case s == "" || strings.ContainsAny(s, `/\`):
		return fmt.Errorf("%q, expected a name without slashes", s)
	case !document.IsPrintable(s):
		return fmt.Errorf("%q, expected a name of characters that can be printed", s)
	case strings.ContainsRune("=+-@", rune(s[0])):
		return fmt.Errorf("%q, expected a name that does not begin with %q: spreadsheets would compute it", s, s[:1])
	}
	return nil
}
