package spec

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/fields"
)

// MaxSeeds is the most seeds of a study: run keeps a row of each in memory.
const MaxSeeds = 1_000_000

// maxHorizonS bounds the horizon: 20 years.
const maxHorizonS = 20 * 366 * 86400

// short is a number as a spec has it.
func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// checkName returns why a text cannot name a study, an objective or a policy, nil
// if it can: names go into terminals, file names and spreadsheets.
func checkName(s string) error {
	switch {
	case s == "" || strings.ContainsAny(s, `/\`):
		return fmt.Errorf("%q, expected a name without slashes", s)
	case !fields.IsPrintable(s):
		return fmt.Errorf("%q, expected a name of characters that can be printed", s)
	case strings.ContainsRune("=+-@", rune(s[0])):
		return fmt.Errorf("%q, expected a name that does not begin with %q: spreadsheets would compute it", s, s[:1])
	}
	return nil
}

// ParseDuration reads a duration such as 90s, 66h40m, 3d or 2d12h: what
// time.ParseDuration reads without a sign, after a whole number of days of 24 h.
func ParseDuration(text string) (time.Duration, error) {
	days, rest, has := strings.Cut(text, "d")
	if !has {
		days, rest = "0", text
	}
	n, err := strconv.ParseUint(days, 10, 16)
	d := time.Duration(0)
	if err == nil && (rest != "" || !has) {
		d, err = time.ParseDuration(rest)
	}
	if err != nil || strings.ContainsAny(rest, "+-") {
		return 0, fmt.Errorf("%q, expected a duration such as 90s, 66h40m or 3d", text)
	}
	return time.Duration(n)*24*time.Hour + d, nil
}
