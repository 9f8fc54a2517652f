package market

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// Instant is an instant of the calendar or, where Calendar is not set, a time from the beginning
// of the spec's histories, each from its own from.
type Instant struct {
	Calendar time.Time
	Since    time.Duration
}

// Known is Given with histories as they were known at an instant: nothing after it is read into the
// market, which lasts until then. A synthetic market is whole: it is up to the caller to look no further.
func Known(s *spec.Spec, at Instant, sets map[string]*traces.Set) (*Markets, error) {
	if s.Market.Synthetic != nil || len(s.Market.Pools) == 0 {
		return open(s, &Markets{})
	}
	return open(s, &Markets{whole: true, given: sets, known: &at})
}

// Sets reads all histories of a spec, for Given and Known.
func Sets(s *spec.Spec) (map[string]*traces.Set, error) {
	sets := map[string]*traces.Set{}
	for i := range s.Market.Histories {
		h := &s.Market.Histories[i]
		set, err := Load(s, h)
		if err != nil {
			return nil, s.ErrorAt(fmt.Sprintf("$.market.histories[%d]", i), "%v", err)
		}
		sets[h.Name] = set
	}
	return sets, nil
}

// Clock returns an instant of the calendar on the market's own clock, which begins where the first
// history does, at its from. It is an error where there is no calendar.
func (m *Markets) Clock(at time.Time) (sim.Time, error) {
	if m.origin == nil {
		return 0, fmt.Errorf("%s is an instant of the calendar, which the market does not have: expected seconds from its beginning", at.Format(time.RFC3339))
	}
	return sim.Time(at.UnixMicro() - *m.origin), nil
}

// Calendar returns an instant of the market's own clock on the calendar; false where there is none.
func (m *Markets) Calendar(at sim.Time) (time.Time, bool) {
	if m.origin == nil {
		return time.Time{}, false
	}
	return time.UnixMicro(*m.origin + int64(at)).UTC(), true
}

// beginning returns when a run begins in a history, us UTC.
func beginning(h *spec.History, set *traces.Set) (int64, error) {
	if h.From == "" {
		return set.Manifest.TStartUs + int64(h.FromS*1e6), nil
	}
	t, err := time.Parse(time.RFC3339, h.From)
	return t.UnixMicro(), err
}

// untilKnown leaves out what comes after the instant until which histories are known: as long
// after the beginning of each as after that of the first.
func (m *Markets) untilKnown(set *traces.Set, from int64) (*traces.Set, error) {
	until := from + m.known.Since.Microseconds()
	if at := m.known.Calendar; !at.IsZero() {
		since, err := m.Clock(at)
		if err != nil {
			return nil, err
		}
		until = from + int64(since)
	}
	if until <= from || until <= set.Manifest.TStartUs {
		return nil, fmt.Errorf("nothing is known at %s: the history begins at %s, and runs in it at %s", stamp(until), stamp(set.Manifest.TStartUs), stamp(from))
	}
	return set.Until(until), nil
}
