package deadline

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/deadline/reference"
)

// optimum reports how many times as far greedy's mean cost is from that of the
// optimum, which knows all of the sequence, as Uniform Progress's: over the windows
// of the facts that have this work, deadline and changeover.
func optimum(f *papers.Figure) error {
	var in struct {
		Market     market  `json:"market"`
		Work       float64 `json:"work_h"`
		Deadline   float64 `json:"deadline_h"`
		Changeover float64 `json:"changeover_h"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	set, err := papers.PulledSet(in.Market.Set)
	if err != nil {
		return err
	}
	rules := reference.Rules()
	named := func(name string) *reference.PublishedRule {
		return &rules[slices.IndexFunc(rules, func(r reference.PublishedRule) bool { return r.Name == name })]
	}
	greedy, uniform, smallest := 0.0, 0.0, 0.0
	for _, r := range facts.ReadFrom[row](files, "replays") {
		if r.Rule != "greedy" || r.Work != in.Work || r.Deadline != in.Deadline || r.Changeover != in.Changeover {
			continue
		}
		job, available := in.Market.job(&r), availability(set, r.Zone)[r.Start:]
		best, err := job.Optimum(available)
		if err != nil {
			return err
		}
		smallest += best.CostUSD
		a, errA := job.Replay(named("greedy"), available)
		b, errB := job.Replay(named("uniform_progress"), available)
		if err := cmp.Or(errA, errB); err != nil {
			return err
		}
		greedy, uniform = greedy+a.CostUSD, uniform+b.CostUSD
	}
	f.Report("gap", (greedy-smallest)/(uniform-smallest))
	return nil
}
