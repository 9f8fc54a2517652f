package spec

import (
	"fmt"
	"math"
	"regexp"
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

// checkZeros refuses a 0 that would be taken for a key that is absent.
func (s *Spec) checkZeros() error {
	type number struct {
		path string
		zero bool
	}
	m := &s.Market
	all := []number{{"horizon_s", s.HorizonS == 0}}
	if x := m.Synthetic; x != nil {
		all = append(all, number{"market.synthetic.regions", x.Regions == 0}, number{"market.synthetic.zones", x.Zones == 0},
			number{"market.synthetic.machines", x.Machines == 0})
	}
	for i, x := range m.Servers {
		at := fmt.Sprintf("market.servers.%d.", i)
		all = append(all, number{at + "count", x.Count == 0}, number{at + "per_rack", x.PerRack == 0})
	}
	if x := m.Billing.Checkpoint; x != nil {
		all = append(all, number{"market.billing.checkpoint.keep", x.Keep == 0})
	}
	if x := s.Model.DataParallel; x != nil && x.Workers != nil {
		all = append(all, number{"model.data_parallel.workers.least", x.Workers.Least == 0}, number{"model.data_parallel.workers.most", x.Workers.Most == 0})
	}
	if x := s.Jobs; x != nil {
		all = append(all, number{"jobs.limit", x.Limit == 0}, number{"jobs.longest_s", x.LongestS == 0},
			number{"jobs.deadlines.most_slack_s", x.Deadlines != nil && x.Deadlines.MostSlackS == 0})
	}
	for _, x := range all {
		if x.zero && s.says(x.path) {
			return s.ErrorAt("$."+listed.ReplaceAllString(x.path, "[$1]"), "0, expected more than 0; leave it out for the default")
		}
	}
	return nil
}

// listed is the number of an element of a list in a path of a Setting.
var listed = regexp.MustCompile(`\.(\d+)`)
