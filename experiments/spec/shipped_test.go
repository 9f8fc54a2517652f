package spec

import (
	"strings"
	"testing"
)

// once are the specs that come with marigram whose traces have room for one start, as their papers ran them: they say
// that no policy is called the best.
var once = map[string]bool{"dynamic-pricing": true, "parcae-p3": true, "systems-p3": true, "recorded-faults": true}

// A spec that comes with marigram has at least 30 independent runs a policy (intervals.Few, and no mark below): starts
// where it replays a recorded market, else seeds.
func TestShippedSpecsHaveEnoughRuns(t *testing.T) {
	const few = 30
	for _, name := range append(Builtin(), "../specs/real-aws-2020.yaml") {
		s, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		says := strings.Contains(strings.Join(strings.Fields(s.About), " "), "no policy is called the best")
		units, by := s.Seeds, "seeds"
		if s.Jobs == nil && s.Market.Traces != nil {
			units, by = 1, "start"
		}
		if n := max(s.Starts.Count, s.Starts.Random); n > 0 {
			units, by = n, "starts"
		}
		switch {
		case once[name] != says:
			t.Errorf("%s says that no policy is called the best: %v, expected %v", name, says, once[name])
		case !once[name] && units < few:
			t.Errorf("%s: %d %s, expected at least %d", name, units, by, few)
		case once[name] && units >= few:
			t.Errorf("%s: %d %s are enough", name, units, by)
		}
	}
}
