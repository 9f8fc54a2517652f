package market

import (
	"fmt"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces"
)

// Known is Given with traces as they were known at an instant: nothing after it is read into the
// market, which lasts until then. A synthetic market is whole: it is up to the caller to look no further.
func Known(s *spec.Spec, at Instant, sets map[string]*traces.Set) (*Markets, error) {
	if s.Market.Synthetic != nil || len(s.Market.Pools) == 0 {
		return open(s, &Markets{})
	}
	return open(s, &Markets{whole: true, given: sets, known: &at})
}

// Sets reads all traces of a spec, for Given and Known.
func Sets(s *spec.Spec) (map[string]*traces.Set, error) {
	sets := map[string]*traces.Set{}
	for i := range s.Market.Traces {
		h := &s.Market.Traces[i]
		set, err := Load(s, h)
		if err != nil {
			return nil, s.ErrorAt(fmt.Sprintf("$.market.traces[%d]", i), "%v", err)
		}
		sets[h.Name] = set
	}
	return sets, nil
}
