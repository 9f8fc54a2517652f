package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

// group is the runs of a sweep that are compared with each other.
type group struct {
	parameters, objective string
	policies              []*sample
	overlap               bool // runs of neighbouring starts share a part of the history
}

// sample is the runs of one policy in a group, by start and seed.
type sample struct {
	policy             string
	oracle             bool
	cost, samples      []float64 // NaN: failed, or not there
	failed             int
	missed, unfinished int
	n                  int
}

// Compare compares the policies of a sweep with a baseline, in the order of the
// runs. It keeps two numbers a run.
func (f *Folder) Compare(baseline string) ([]Comparison, error) {
	groups, err := f.groups()
	if err != nil {
		return nil, err
	}
	var all []Comparison
	found, varied := false, f.Plan.variedSettings()
	for _, g := range groups {
		i := slices.IndexFunc(g.policies, func(s *sample) bool { return s.policy == baseline })
		if i < 0 {
			continue
		}
		found = true
		of := g.compare(g.policies[i], f.Plan.Seeds)
		for k := range of {
			of[k].noteLacking(varied)
		}
		all = append(all, of...)
	}
	if !found {
		return nil, fmt.Errorf("no run of the baseline %q; there are %s", baseline, strings.Join(f.Plan.policies(), ", "))
	}
	return all, nil
}

// policies returns the names of the policies of all cells, sorted.
func (p *Plan) policies() (names []string) {
	for i := range p.Cells {
		names = append(names, p.Cells[i].Policies...)
	}
	sort.Strings(names)
	return slices.Compact(names)
}

// groups reads the costs and samples of all runs.
func (f *Folder) groups() (groups []*group, err error) {
	index := map[[2]string]*group{}
	err = f.Rows(func(rows []results.SweepRow) error {
		for i := range rows {
			r := &rows[i]
			parameters, err := withoutPolicy(r.Parameters)
			if err != nil {
				return err
			}
			key := [2]string{parameters, r.Objective}
			g := index[key]
			if g == nil {
				g = &group{parameters: parameters, objective: r.Objective, overlap: f.Plan.Overlap(r.HorizonS)}
				index[key], groups = g, append(groups, g)
			}
			_, start, seed, _ := f.Plan.place(f.Plan.pointOf(r.Run))
			g.of(r, f.Plan.perCell()).add(r, start*f.Plan.Seeds+seed)
		}
		return nil
	})
	return groups, err
}

// Overlap says whether runs as long as horizon, in seconds, from neighbouring starts
// share a part of the history.
func (p *Plan) Overlap(horizon float64) bool { return closest(p.StartsS) < horizon }

// closest returns the least distance of two starts, +Inf for one.
func closest(starts []float64) float64 {
	sorted, least := slices.Sorted(slices.Values(starts)), math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		least = min(least, sorted[i]-sorted[i-1])
	}
	return least
}

// withoutPolicy drops the choice of policies from a cell's parameters, so that
// cells that differ in it only are compared.
func withoutPolicy(parameters string) (string, error) {
	if !strings.Contains(parameters, `"policy":`) {
		return parameters, nil
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(parameters), &m); err != nil {
		return "", fmt.Errorf("parameters %s: %w", parameters, err)
	}
	delete(m, "policy")
	return string(toJSON(m)), nil
}

func (g *group) of(r *results.SweepRow, n int64) *sample {
	for _, s := range g.policies {
		if s.policy == r.Policy {
			return s
		}
	}
	nothing := slices.Repeat([]float64{math.NaN()}, int(n))
	s := &sample{policy: r.Policy, cost: nothing, samples: slices.Clone(nothing)}
	g.policies = append(g.policies, s)
	return s
}

func (s *sample) add(r *results.SweepRow, at int) {
	if r.Error != "" {
		s.failed++
		return
	}
	s.n++
	s.cost[at], s.samples[at], s.oracle = r.CostUSD, r.Samples, r.Oracle
	if !r.Met {
		s.missed++
	}
	if !r.Finished {
		s.unfinished++
	}
}

// compare describes every policy of the group beside the baseline.
func (g *group) compare(baseline *sample, seeds int) (all []Comparison) {
	for _, s := range g.policies {
		c := Comparison{Parameters: g.parameters, Objective: g.objective, Policy: s.policy, Oracle: s.oracle,
			N: s.n, Failed: s.failed, Unfinished: s.unfinished}
		if s.n > 0 {
			c.describe(s)
			c.pair(s, baseline)
			c.ratios(s, baseline, seeds)
		}
		c.warn()
		if g.overlap {
			c.Warnings = append(c.Warnings, "runs of neighbouring starts overlap in the history: they are not independent, and intervals are too narrow")
		}
		all = append(all, c)
	}
	front(all)
	return all
}
