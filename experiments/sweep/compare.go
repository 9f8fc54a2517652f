package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

// group is the runs of a sweep that are compared with each other.
type group struct {
	parameters, objective string
	policies              []*sample
	by                    string           // what runs are independent by
	units                 []intervals.Unit // by start and seed
	longest               float64          // run, s
}

// sample is the runs of one policy in a group, by start and seed.
type sample struct {
	policy        string
	oracle        bool
	cost, samples []float64 // NaN: failed, or not there
	missed        []bool
	failed        int
	unfinished, n int
}

// Compare compares the policies of a sweep with a baseline, in the order of the
// runs. It keeps two numbers a run, and a unit a point.
func (f *Folder) Compare(baseline string) ([]Comparison, error) {
	groups, err := f.groups()
	if err != nil {
		return nil, err
	}
	var all []Comparison
	found := false
	for _, g := range groups {
		i := slices.IndexFunc(g.policies, func(s *sample) bool { return s.policy == baseline })
		if i < 0 {
			continue
		}
		found = true
		all = append(all, g.compare(g.policies[i], f.Plan)...)
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
				g = &group{parameters: parameters, objective: r.Objective, by: r.Unit, units: make([]intervals.Unit, f.Plan.perCell())}
				index[key], groups = g, append(groups, g)
			}
			_, start, seed, _ := f.Plan.place(f.Plan.pointOf(r.Run))
			g.add(r, start*f.Plan.Seeds+seed)
		}
		return nil
	})
	return groups, err
}

// Apart returns the most of the starts from which runs of that length, in seconds,
// share no part of the history, and how many different starts there are: where these
// are more, runs overlap and are not independent.
func (p *Plan) Apart(lasting float64) (apart, starts int) {
	free := math.Inf(-1) // from when on
	all := slices.Compact(slices.Sorted(slices.Values(p.StartsS)))
	for _, start := range all {
		if start >= free {
			apart, free = apart+1, start+lasting
		}
	}
	return apart, len(all)
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

// add adds a run that stands at some place among those of its policy.
func (g *group) add(r *results.SweepRow, at int) {
	s := g.of(r)
	if r.Error != "" {
		s.failed++
		return
	}
	g.units[at], g.longest = intervals.Of(&r.Summary, r.StartS), max(g.longest, r.LastedS())
	s.add(r, at)
}

func (g *group) of(r *results.SweepRow) *sample {
	for _, s := range g.policies {
		if s.policy == r.Policy {
			return s
		}
	}
	nothing := slices.Repeat([]float64{math.NaN()}, len(g.units))
	s := &sample{policy: r.Policy, cost: nothing, samples: slices.Clone(nothing), missed: make([]bool, len(nothing))}
	g.policies = append(g.policies, s)
	return s
}

func (s *sample) add(r *results.SweepRow, at int) {
	s.n++
	s.cost[at], s.samples[at], s.missed[at], s.oracle = r.CostUSD, r.Samples, !r.Met, r.Oracle
	if !r.Finished {
		s.unfinished++
	}
}

// compare describes every policy of the group beside the baseline.
func (g *group) compare(baseline *sample, p *Plan) (all []Comparison) {
	for _, s := range g.policies {
		c := Comparison{Parameters: g.parameters, Objective: g.objective, Policy: s.policy, Oracle: s.oracle,
			N: s.n, Failed: s.failed, Unfinished: s.unfinished, Unit: g.by}
		if s.n > 0 {
			c.describe(s, g.units)
			c.pair(s, baseline, g.units)
			c.ratios(s, baseline, g.units)
		}
		c.warn()
		if apart, starts := p.Apart(g.longest); apart < starts && g.by == results.ByStart {
			c.Warnings = append(c.Warnings, fmt.Sprintf("runs of neighbouring starts overlap in the history: at most %d of %d starts share no part of it, and intervals are too narrow", apart, starts))
		}
		all = append(all, c)
	}
	front(all)
	return all
}
