package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

// group is the runs of a sweep that are compared with each other.
type group struct {
	parameters, objective string
	asked                 *float64 // share of the runs that is to meet it
	policies              []*sample
	by                    string           // what runs are independent by
	metric                *results.Metric  // nil: no run yet
	units                 []intervals.Unit // by start and seed
}

// Compare compares the policies of a sweep with a baseline, in the order of the
// runs. It keeps two numbers a run, and a unit a point.
func (f *Folder) Compare(by By) ([]Comparison, error) {
	g := gathering{by: by, points: int(f.Plan.perCell()), starts: f.Plan.StartsS}
	if by.Pooled {
		g.cells, g.blocks = len(f.Plan.Cells), map[string]int{}
		g.points *= g.cells
	}
	err := f.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			r := &rows[i]
			_, start, seed, _ := f.Plan.place(f.Plan.pointOf(r.Run))
			err := r.CheckBound()
			if err == nil {
				err = g.add(r, start*f.Plan.Seeds+seed)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all, err := g.compare()
	for i, varied := 0, f.Plan.variedSettings(); i < len(all); i++ {
		all[i].noteLacking(varied)
	}
	return all, err
}

// CompareRuns compares the policies of one study with a baseline, by start and seed.
func CompareRuns(rows []results.Summary, by By) ([]Comparison, error) {
	type point struct {
		startS float64
		seed   int64
	}
	var starts []float64
	at := map[point]int{}
	for i := range rows {
		p := point{rows[i].StartS, rows[i].Seed}
		if _, known := at[p]; !known {
			at[p], starts = len(at), append(starts, p.startS)
		}
	}
	g := gathering{by: by, points: len(at), starts: starts}
	for i := range rows {
		err := rows[i].CheckBound()
		if err == nil {
			err = g.add(&results.SweepRow{Summary: rows[i], Parameters: "{}"}, at[point{rows[i].StartS, rows[i].Seed}])
		}
		if err != nil {
			return nil, err
		}
	}
	return g.compare()
}

// gathering sorts runs into groups.
type gathering struct {
	by     By
	points int            // starts times seeds, of all cells that are compared together
	cells  int            // that are; 0: each alone
	blocks map[string]int // of these, by parameters without the policy: runs of one are paired
	starts []float64      // of the runs, s; may repeat

	policies []string // of all runs
	groups   []*group
	index    map[[2]string]*group
}

// add adds a run with its place among the points of its cell.
func (c *gathering) add(r *results.SweepRow, at int) error {
	cell := 0
	if !slices.Contains(c.policies, r.Policy) {
		c.policies = append(c.policies, r.Policy)
	}
	if c.by.Keep != nil {
		if kept, err := c.by.Keep(r); err != nil || !kept {
			return err
		}
	}
	parameters, err := withoutPolicy(r.Parameters)
	if err != nil {
		return err
	}
	key := [2]string{parameters, r.Objective}
	if c.by.Pooled {
		block, known := c.blocks[parameters]
		if !known {
			block = len(c.blocks)
			c.blocks[parameters] = block
		}
		cell, at = block, at+block*(c.points/c.cells)
		parameters, key, r.Objective = "{}", [2]string{}, "all cells together"
	}
	g := c.index[key]
	if g == nil {
		if c.index == nil {
			c.index = map[[2]string]*group{}
		}
		g = &group{parameters: parameters, objective: r.Objective, asked: r.ObjectiveShare, by: r.Unit,
			units: make([]intervals.Unit, c.points)}
		c.index[key], c.groups = g, append(c.groups, g)
	}
	if r.Error == "" {
		if g.metric, err = c.by.metric(&r.Summary); err != nil {
			return err
		}
	}
	g.add(r, cell, at)
	return nil
}

// compare compares the policies of each group that has the baseline.
func (c *gathering) compare() ([]Comparison, error) {
	baseline, all := c.by.Baseline, []Comparison(nil)
	for _, g := range c.groups {
		if i := slices.IndexFunc(g.policies, func(s *sample) bool { return s.policy == baseline }); i >= 0 {
			all = append(all, g.compare(g.policies[i], c.starts)...)
		}
	}
	switch {
	case !slices.Contains(c.policies, baseline):
		slices.Sort(c.policies)
		return nil, fmt.Errorf("no run of the baseline %q; there are %s", baseline, strings.Join(c.policies, ", "))
	case all == nil && c.groups != nil:
		return nil, fmt.Errorf("no run of the baseline %q among the selected runs", baseline)
	}
	return all, nil
}

// tally begins to add up runs of the group that last some seconds at most.
func (g *group) tally(longest float64) (t intervals.Tally) {
	if g.by == results.ByStart {
		t.Lasting(longest)
	}
	return t
}

// add adds a run that stands at some place among those of its policy.
func (g *group) add(r *results.SweepRow, cell, at int) {
	s := g.of(r)
	if r.Error != "" {
		s.failed++
		return
	}
	g.units[at] = intervals.Of(&r.Summary)
	g.units[at].Cell = cell
	s.add(r, at, g.metric)
}

func (g *group) of(r *results.SweepRow) *sample {
	for _, s := range g.policies {
		if s.policy == r.Policy {
			return s
		}
	}
	nothing := slices.Repeat([]float64{math.NaN()}, len(g.units))
	s := &sample{policy: r.Policy, value: nothing, samples: slices.Clone(nothing), missed: make([]bool, len(nothing))}
	g.policies = append(g.policies, s)
	return s
}

// compare describes every policy of the group beside the baseline.
func (g *group) compare(baseline *sample, starts []float64) (all []Comparison) {
	for _, s := range g.policies {
		c := Comparison{Parameters: g.parameters, Objective: g.objective, Policy: s.policy, Oracle: s.oracle, ManyJobs: s.many, N: s.n, SamplingUnit: g.by,
			Failed: s.failed, Unfinished: s.unfinished, Asked: g.asked}
		if g.metric != nil {
			c.Metric, c.Unit = g.metric.Name, g.metric.Unit
		}
		if s.n > 0 {
			c.describe(s, g)
			c.pair(s, baseline, g)
			if c.Metric != results.Undone { // what is left is no cost
				c.ratios(s, baseline, g)
			}
		}
		c.warn()
		if text := intervals.Overlap(starts, s.longest); text != "" && g.by == results.ByStart {
			c.Warnings = append(c.Warnings, text)
		}
		c.Warnings = append(c.Warnings, s.warnings...)
		all = append(all, c)
	}
	front(all)
	rank(all, g.asked)
	return all
}

// rank ranks the policies of a group.
func rank(all []Comparison, asked *float64) {
	rows := make([]intervals.RankingRow, len(all))
	for i := range all {
		c := &all[i]
		rows[i] = c.RankingRow()
		c.Misses = c.N > 0 && !intervals.Meets(c.MetShare(), asked)
	}
	for place, i := range intervals.Rank(rows, asked) {
		all[i].Rank = place + 1
	}
	if slices.ContainsFunc(all, func(c Comparison) bool { return c.ManyJobs || c.NoBest != "" }) {
		return
	}
	if best, texts := intervals.NotDecided(rows, asked); best >= 0 {
		all[best].NotDecided = texts
	}
}
