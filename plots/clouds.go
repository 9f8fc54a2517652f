package plots

import (
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots/canvas"
)

// Cloud is the runs of one policy for one objective.
type Cloud struct {
	Standing
	Runs     []RunPoint // those that are drawn: all, or evenly many of them
	N        int        // of all runs
	Finished int        // of N
	MetRuns  int        // of N
	// MeanUSD and MeanPercent are the means of all finished runs; not drawn without any.
	MeanUSD, MeanPercent float64
}

// RunPoint is a run in a figure of cost and finish.
type RunPoint struct {
	USD      float64
	Percent  float64 // when it finished, in per cent of the objective
	Finished bool
}

// Clouds are those of a panel: of one objective.
type Clouds struct {
	Title string
	Of    []Cloud
}

// cloudsOf gathers runs by objective and policy and keeps every n-th to be drawn.
func cloudsOf(rows []results.Summary, every int) []Clouds {
	var panels []Clouds
	for _, g := range groupsOf(rows) {
		one := Clouds{Title: g.objective}
		for _, policy := range policiesOf(g.rows) {
			one.Of = append(one.Of, g.cloud(policy, every))
		}
		panels = append(panels, one)
	}
	return panels
}

// group is the runs of one objective.
type group struct {
	scenario, objective string
	rows                []results.Summary
}

func groupsOf(rows []results.Summary) []*group {
	type id struct{ scenario, objective string }
	var groups []*group
	find := make(map[id]*group)
	for i := range rows {
		at := id{rows[i].Scenario, rows[i].Objective}
		if find[at] == nil {
			find[at] = &group{scenario: at.scenario, objective: at.objective}
			groups = append(groups, find[at])
		}
		find[at].rows = append(find[at].rows, rows[i])
	}
	return groups
}

func (g *group) cloud(policy string, every int) Cloud {
	c := Cloud{Standing: Standing{Policy: policy}}
	var asked *float64
	done, open := 0, 0
	for i := range g.rows {
		s := &g.rows[i]
		if s.Policy != policy {
			continue
		}
		point := runPointOf(s)
		c.N++
		c.Oracle, asked = c.Oracle || s.Oracle, s.ObjectiveShare
		if s.Met {
			c.MetRuns++
		}
		nth := &open
		if s.Finished {
			c.Finished++
			c.MeanUSD, c.MeanPercent = c.MeanUSD+point.USD, c.MeanPercent+point.Percent
			nth = &done
		}
		if *nth%every == 0 {
			c.Runs = append(c.Runs, point)
		}
		*nth++
	}
	c.MeanUSD, c.MeanPercent = c.MeanUSD/float64(c.Finished), c.MeanPercent/float64(c.Finished)
	c.Met = float64(c.MetRuns) / float64(c.N)
	c.Misses = !intervals.Meets(c.Met, asked)
	return c
}

// runPointOf is a run as a point.
func runPointOf(s *results.Summary) RunPoint {
	p := RunPoint{USD: s.CostUSD, Finished: s.Finished}
	if s.Finished {
		p.Percent = 100 * (*s.FinishS / s.ObjectiveS)
	}
	return p
}

func policiesOf(rows []results.Summary) []string {
	var names []string
	seen := make(map[string]bool)
	for i := range rows {
		if !seen[rows[i].Policy] {
			seen[rows[i].Policy] = true
			names = append(names, rows[i].Policy)
		}
	}
	return names
}

// policyText names a run's policy, and says when it is no fair competitor.
func policyText(s *results.Summary) string {
	if s.Oracle {
		return canvas.Label(s.Policy, 30) + " (knows the future)"
	}
	return canvas.Label(s.Policy, 30)
}
