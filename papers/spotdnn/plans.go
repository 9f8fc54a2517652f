package spotdnn

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
)

// publishedPlan is a row of Table I or V.
type publishedPlan struct {
	Table    string  `col:"table"`
	Loss     float64 `col:"objective_loss"`
	TimeS    float64 `col:"objective_time_s"`
	Strategy string  `col:"strategy"`
	P3       int     `col:"p3.2xlarge"`
	G4dn     int     `col:"g4dn.4xlarge"`
	G3x8     int     `col:"g3.8xlarge"`
	G3x16    int     `col:"g3.16xlarge"`
	P2       int     `col:"p2.8xlarge"`
}

func (p *publishedPlan) name(what string) string {
	return p.Strategy + "-" + decimal(p.Loss) + "-" + what
}

func (p *publishedPlan) counts() []int { return []int{p.P3, p.G4dn, p.G3x8, p.G3x16, p.P2} }

// clusterText is, for instance, 2 p3.2xlarge + 1 g3.16xlarge.
func clusterText(types []string, counts []int) string {
	var parts []string
	for i, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, types[i]))
		}
	}
	return strings.Join(parts, " + ")
}

// plans plans the rows of a table and reports of each plan by how many
// instances it differs from the published, its time, simulated, or its cost.
func plans(f *papers.Figure) error {
	var in struct {
		Table  string       `json:"table"`
		Report []string     `json:"report"` // of plan, time and cost
		Market marketInputs `json:"market"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	p, err := in.Market.planner()
	if err != nil {
		return err
	}
	types := p.profile.Types()
	for _, row := range facts.ReadFrom[publishedPlan](files, "plans") {
		if row.Table != in.Table {
			continue
		}
		o := objective{row.Loss, row.TimeS}
		counts, err := p.plan(row.Strategy, o)
		if err != nil {
			return err
		}
		seconds, err := p.simulate(counts, o)
		if err != nil {
			return err
		}
		values := map[string]float64{"time": seconds, "cost": p.usd(row.Strategy, counts, seconds),
			"plan": off(counts, row.counts())}
		for _, what := range in.Report {
			f.Report(row.name(what), values[what])
		}
		f.Note(row.name("plan"), fmt.Sprintf("published %s, here %s", clusterText(types, row.counts()),
			clusterText(types, counts)))
	}
	return nil
}

// off returns how many instances are to be added or dropped to make one plan the
// other.
func off(a, b []int) float64 {
	n := 0
	for i := range a {
		n += max(a[i]-b[i], b[i]-a[i])
	}
	return float64(n)
}
