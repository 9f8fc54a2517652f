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
	gathered := gathering{by: by, points: int(f.Plan.perCell()), starts: f.Plan.StartsS}
	if by.Pooled {
		gathered.cells = len(f.Plan.Cells)
		gathered.blocks = map[string]int{}
		gathered.points *= gathered.cells
	}
	err := f.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			row := &rows[i]
			_, start, seed, _ := f.Plan.place(f.Plan.pointOf(row.Run))
			err := row.CheckBound()
			if err == nil {
				err = gathered.add(row, start*f.Plan.Seeds+seed)
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
	all, err := gathered.compare()
	varied := f.Plan.variedSettings()
	for i := range all {
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
		of := point{rows[i].StartS, rows[i].Seed}
		if _, known := at[of]; !known {
			at[of] = len(at)
			starts = append(starts, of.startS)
		}
	}
	gathered := gathering{by: by, points: len(at), starts: starts}
	for i := range rows {
		err := rows[i].CheckBound()
		if err == nil {
			row := results.SweepRow{Summary: rows[i], Parameters: "{}"}
			err = gathered.add(&row, at[point{row.StartS, row.Seed}])
		}
		if err != nil {
			return nil, err
		}
	}
	return gathered.compare()
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
		cell = block
		at += block * (c.points / c.cells)
		parameters = "{}"
		key = [2]string{}
		r.Objective = "all cells together"
	}
	of := c.index[key]
	if of == nil {
		if c.index == nil {
			c.index = map[[2]string]*group{}
		}
		of = &group{
			parameters: parameters,
			objective:  r.Objective,
			asked:      r.ObjectiveShare,
			by:         r.Unit,
			units:      make([]intervals.Unit, c.points),
		}
		c.index[key] = of
		c.groups = append(c.groups, of)
	}
	if r.Error == "" {
		if of.metric, err = c.by.metric(&r.Summary); err != nil {
			return err
		}
	}
	of.add(r, cell, at)
	return nil
}

// compare compares the policies of each group that has the baseline.
func (c *gathering) compare() ([]Comparison, error) {
	baseline := c.by.Baseline
	var all []Comparison
	for _, of := range c.groups {
		if sampled := of.named(baseline); sampled != nil {
			all = append(all, of.compare(sampled, c.starts)...)
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
	sampled := g.named(r.Policy)
	if sampled == nil {
		nothing := slices.Repeat([]float64{math.NaN()}, len(g.units))
		sampled = &sample{
			policy:  r.Policy,
			value:   nothing,
			samples: slices.Clone(nothing),
			missed:  make([]bool, len(nothing)),
		}
		g.policies = append(g.policies, sampled)
	}
	if r.Error != "" {
		sampled.failed++
		return
	}
	g.units[at] = intervals.Of(&r.Summary)
	g.units[at].Cell = cell
	sampled.add(r, at, g.metric)
}

// named is the sample of a policy; nil where there is none.
func (g *group) named(policy string) *sample {
	for _, sampled := range g.policies {
		if sampled.policy == policy {
			return sampled
		}
	}
	return nil
}

// compare describes every policy of the group beside the baseline.
func (g *group) compare(baseline *sample, starts []float64) (all []Comparison) {
	for _, s := range g.policies {
		row := Comparison{
			Parameters:   g.parameters,
			Objective:    g.objective,
			Policy:       s.policy,
			Oracle:       s.oracle,
			ManyJobs:     s.many,
			N:            s.n,
			SamplingUnit: g.by,
			Failed:       s.failed,
			Unfinished:   s.unfinished,
			Asked:        g.asked,
		}
		if g.metric != nil {
			row.Metric = g.metric.Name
			row.Unit = g.metric.Unit
		}
		if s.n > 0 {
			row.describe(s, g)
			row.pair(s, baseline, g)
			if row.Metric != results.Undone { // what is left is no cost
				row.ratios(s, baseline, g)
			}
		}
		row.warn()
		if text := intervals.Overlap(starts, s.longest); text != "" && g.by == results.ByStart {
			row.Warnings = append(row.Warnings, text)
		}
		row.Warnings = append(row.Warnings, s.warnings...)
		all = append(all, row)
	}
	front(all)
	rank(all, g.asked)
	return all
}

// rank ranks the policies of a group.
func rank(all []Comparison, asked *float64) {
	rows := make([]intervals.RankingRow, len(all))
	for i := range all {
		row := &all[i]
		rows[i] = row.RankingRow()
		row.Misses = row.N > 0 && !intervals.Meets(row.MetShare(), asked)
	}
	for place, i := range intervals.Rank(rows, asked) {
		all[i].Rank = place + 1
	}
	if slices.ContainsFunc(all, func(c Comparison) bool { return c.ManyJobs || c.NoBest != "" }) {
		return
	}
	if best, _, texts := intervals.NotDecided(rows, asked); best >= 0 {
		all[best].NotDecided = texts
	}
}
