// Package deadline computes the claims on Can't Be Late (NSDI 2024): its rules on
// recorded availability, row by row, and their distance from the optimum.
package deadline

import (
	"embed"
	"fmt"
	"math"
	"slices"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/deadline/reference"
	"github.com/marigram/marigram/traces"
)

// row is one run of a rule of Can't Be Late.
type row struct {
	Zone       string  `col:"zone"`
	Start      int     `col:"start"`
	Work       float64 `col:"work_h"`
	Deadline   float64 `col:"deadline_h"`
	Changeover float64 `col:"changeover_h"`
	Rule       string  `col:"rule"`
	USD        float64 `col:"usd"`
	Completion float64 `col:"completion_h"`
}

// rows counts the runs whose cost is within 1e-6 USD, and whose end
// within 1e-6 h, of what was computed elsewhere; and ticks a second of processor
// time.
func rows(f *papers.Figure) error {
	var in market
	if err := f.Inputs(&in); err != nil {
		return err
	}
	set, err := papers.PulledSet(in.Set)
	if err != nil {
		return err
	}
	rules := reference.Rules()
	zones := map[string][]bool{}
	equal, ticks := 0, 0
	start := papers.CPUTime()
	for _, r := range facts.ReadFrom[row](files, "replays") {
		if zones[r.Zone] == nil {
			zones[r.Zone] = availability(set, r.Zone)
		}
		k := slices.IndexFunc(rules, func(x reference.PublishedRule) bool { return x.Name == r.Rule })
		if k < 0 || r.Start >= len(zones[r.Zone]) {
			return fmt.Errorf("rule %s in %s from row %d: there is none", r.Rule, r.Zone, r.Start)
		}
		job := in.job(&r)
		got, err := job.Replay(&rules[k], zones[r.Zone][r.Start:])
		if err != nil {
			return err
		}
		ticks += got.Ticks
		if math.Abs(got.CostUSD-r.USD) <= 1e-6 && math.Abs(got.CompletionS/3600-r.Completion) <= 1e-6 {
			equal++
		}
	}
	f.Report("rows", float64(equal))
	f.Report("speed", float64(ticks)/(papers.CPUTime()-start).Seconds())
	return nil
}

// availability returns row by row of a zone's source whether there was capacity.
func availability(s *traces.Set, zone string) []bool {
	var out []bool
	for _, r := range s.Capacity {
		if s.Pools[r.PoolID].Zone != zone {
			continue
		}
		const header = 1
		for row := int(r.SrcRow) - 1 - header; len(out) < row; {
			out = append(out, out[len(out)-1]) // as in the row before
		}
		out = append(out, r.Available > 0)
	}
	return out
}

// market is where a job of these claims runs.
type market struct {
	Set      string  `json:"set"`
	TickS    float64 `json:"tick_s"`
	Spot     float64 `json:"spot_usd_per_h"`
	OnDemand float64 `json:"on_demand_usd_per_h"`
}

// job returns the job of a row.
func (m *market) job(r *row) reference.Job {
	return reference.Job{TickS: m.TickS, WorkS: 3600 * r.Work, DeadlineS: 3600 * r.Deadline,
		ChangeoverS: 3600 * r.Changeover, SpotUSDPerH: m.Spot, OnDemandUSDPerH: m.OnDemand}
}

//go:embed *.csv *.yaml
var files embed.FS
