package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
)

// runsOfPolicy are runs of a policy from some starts, each under two seeds, that cost
// usd and a little more; those from the first late starts miss an objective of an hour.
func runsOfPolicy(policy string, starts, late int, usd float64, share *float64) (rows []results.Summary) {
	for start := range starts {
		for seed := range 2 {
			finish := 3000.0
			s := results.Summary{Scenario: "made", Objective: "1 h", Policy: policy, Seed: int64(seed), Market: "recorded", Unit: results.ByStart,
				ObjectiveS: 3600, ObjectiveShare: share, Finished: true, Met: start >= late, CostUSD: usd + float64(start%3)/10, InstanceH: 1, HorizonS: 1e5, Samples: 1}
			if !s.Met {
				finish = 4000
				s.MissedByS = ptr(400.0)
			}
			s.FinishS = &finish
			rows = append(rows, s)
		}
	}
	return rows
}

// verdictOf is that of runs from starts that are six hours apart.
func verdictOf(t *testing.T, all ...[]results.Summary) verdict {
	t.Helper()
	s := NewStudy(results.Provenance{})
	for _, rows := range all {
		for i := range rows {
			rows[i].Run, rows[i].StartS = int64(s.runs), float64(i/2)*21600
			s.Add(&rows[i])
		}
	}
	s.rank()
	return s.objectives[0].ranked()
}

// The page opens with one sentence of the best policy: its cost with the interval, how
// far below on demand that is, and from how many starts it was late. What is cheaper
// and late is no answer, and named as that.
func TestVerdict(t *testing.T) {
	ondemand := runsOfPolicy("ondemand", 168, 0, 292, nil)
	uniform := runsOfPolicy("uniform-progress", 168, 0, 213, nil)
	for _, c := range []struct {
		all                   [][]results.Summary
		policy, text, cheaper string
		meets                 bool
	}{
		{[][]results.Summary{ondemand, uniform, runsOfPolicy("checkpoint", 168, 50, 180, nil)}, "uniform-progress",
			": 213 USD (95 %: 213 to 213), 27 % below the policy ondemand, late in 0 of 168 starts.", "checkpoint (180 USD, met in 70.2 %)", true},
		{[][]results.Summary{ondemand, runsOfPolicy("reactive", 168, 1, 20, nil)}, "ondemand", ": 292 USD (95 %: 292 to 292), late in 0 of 168 starts." +
			" Not decided between ondemand and reactive: reactive - ondemand is -272.00 USD (95 %: -272.00 to -272.00); " +
			"met in 100 % and 99.4 % of the runs (exact sign test, p = 1).",
			"reactive (20.1 USD, met in 99.4 %)", true},
		{[][]results.Summary{runsOfPolicy("reactive", 10, 3, 20, nil), runsOfPolicy("spotdnn", 10, 2, 30, nil)}, "spotdnn",
			": 30.1 USD (95 %: 30.0 to 30.2), late in 2 of 10 starts.",
			"reactive (20.1 USD, met in 70 %)", false},
		{[][]results.Summary{ondemand, runsOfPolicy("reactive", 168, 1, 20, ptr(0.95))}, "reactive",
			": 20.1 USD (95 %: 20.1 to 20.1), 93 % below the policy ondemand, late in 1 of 168 starts; 95 % of the runs asked: proven.", "", true},
		{[][]results.Summary{runsOfPolicy("reactive", 1, 0, 20, ptr(0.95))}, "reactive",
			": 20.0 USD, late in 0 of 1 start; 95 % of the runs asked: not decided.", "", true},
		{[][]results.Summary{runsOfPolicy("reactive", 40, 40, 20, nil), runsOfPolicy("spotdnn", 40, 40, 5, nil)}, "spotdnn",
			": 5.10 USD (95 %: 5.07 to 5.12), late in 40 of 40 starts.", "", false},
	} {
		if c.all[0][0].Policy == "ondemand" && c.all[1][0].ObjectiveShare != nil {
			for i := range c.all[0] {
				c.all[0][i].ObjectiveShare = c.all[1][0].ObjectiveShare
			}
		}
		v := verdictOf(t, c.all...)
		if lead := v.Lead(); (lead == "") != c.meets || v.Never && lead != "No policy ever meets the objective. The cheapest: " {
			t.Errorf("%s: %q", c.policy, lead)
		}
		if v.Policy != c.policy || v.Text != c.text || v.Cheaper != c.cheaper || v.Meets != c.meets {
			t.Errorf("%q %q, cheaper %q, %v; want %q %q, %q, %v", v.Policy, v.Text, v.Cheaper, v.Meets, c.policy, c.text, c.cheaper, c.meets)
		}
		for i := range ondemand {
			ondemand[i].ObjectiveShare = nil
		}
	}
	asked := ptr(0.95)
	v := verdictOf(t, runsOfPolicy("reactive", 80, 3, 20, asked), runsOfPolicy("spotdnn", 80, 0, 30, asked))
	if v.Policy != "reactive" || !strings.HasSuffix(v.Text, "late in 3 of 80 starts; 95 % of the runs asked: not decided.") || v.Proven != "spotdnn (30.1 USD)" {
		t.Errorf("%+v, expected another policy that is proven", v)
	}
}

// Of more runs than a page keeps the figures draw evenly many, the numbers count all.
func TestThinned(t *testing.T) {
	s := NewStudy(results.Provenance{})
	const starts = 3*maxPoints + 17
	rows := runsOfPolicy("reactive", starts, 100, 20, nil)
	for i := range rows {
		rows[i].Run, rows[i].StartS = int64(i), float64(i/2)*3600
		s.Add(&rows[i])
	}
	s.rank()
	r := s.objectives[0].Rows[0]
	if n := len(r.points.kept); n > maxPoints || n < maxPoints/2 || r.points.kept[1].Run-r.points.kept[0].Run != 8 {
		t.Errorf("%d points, the first of runs %d and %d", n, r.points.kept[0].Run, r.points.kept[1].Run)
	}
	if r.N != 2*starts || r.Met != 2*(starts-100) || s.all.Units() != starts || len(r.worst) != maxWorst || r.worst[0].Met {
		t.Errorf("%d runs, %d met, %d units, worst %+v", r.N, r.Met, s.all.Units(), r.worst)
	}
	if text := pageOfStudy(t, s); len(text) > 1e6 || !strings.Contains(text, fmt.Sprintf("of %d runs drawn, means of all", 2*starts)) {
		t.Errorf("a page of %d bytes, which does not say how many runs are drawn", len(text))
	}
}

// Warnings are grouped by the runs that they are of.
func TestWarned(t *testing.T) {
	var w warned
	for i, policy := range []string{"a", "a", "b", "b"} {
		text := "all; "
		if policy == "b" {
			text += "of b; "
		}
		if i == 0 {
			text += "of one"
		}
		w.add(&results.Summary{Policy: policy, Warnings: text})
	}
	got := fmt.Sprint(w.groups())
	if got != "[{all runs [all]} {a (1 of 2 runs) [of one]} {b [of b]}]" {
		t.Error(got)
	}
	for i := range 2 * maxWarnings {
		w.add(&results.Summary{Policy: "c", Warnings: fmt.Sprint("kind ", i)})
	}
	if groups := w.groups(); !strings.Contains(fmt.Sprint(groups[len(groups)-1]), "43 runs with warnings of further kinds") {
		t.Errorf("%v", groups[len(groups)-1])
	}
}
