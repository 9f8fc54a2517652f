package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
)

// What a page holds of a run, lest it grow without end.
const (
	mostRuns       = 20
	mostStretches  = 400
	mostDecisions  = 120
	mostCandidates = 8 // of one decision
)

// chart is a run as the page's script draws it. Text stands once, in Texts, and
// is named by its place.
type chart struct {
	Name  string   `json:"name"`
	Facts []string `json:"facts"` // what came out of it, and what is not shown
	GoalH float64  `json:"goal"`  // hours
	// At is hours: where each stretch begins, and where the last ends. What holds in
	// a stretch has a value for each, and the last of them twice.
	At        []float64  `json:"at"`
	Series    []series   `json:"series"`
	Progress  []float64  `json:"progress"` // per cent at the instants of At
	CostUSD   []float64  `json:"cost"`     // likewise
	Decisions []decision `json:"decisions"`
	Texts     []string   `json:"texts"`
}

// series is the instances of one type on one market, all pools together.
type series struct {
	Name   string    `json:"name"`
	Color  string    `json:"color"`
	Dashed bool      `json:"dashed"` // on demand
	Held   []float64 `json:"held"`
	Price  []float64 `json:"price"` // USD/h, mean over the pools
}

// decision is a row of the page's table of decisions; strings are places in Texts.
type decision struct {
	AtH        float64  `json:"at"`
	Trigger    int      `json:"trigger"`
	Saw        int      `json:"saw"`
	Inputs     int      `json:"inputs"`
	Wants      int      `json:"wants"`
	Why        int      `json:"why"`
	Changed    bool     `json:"changed"`
	Weighed    int      `json:"weighed"`    // candidates in all
	Candidates [][5]any `json:"candidates"` // name, score, unit, note, taken
}

// chartOf makes a run's chart.
func chartOf(r *run) *chart {
	c := &chart{Name: r.name(), GoalH: r.ObjectiveS / 3600, Facts: r.facts()}
	c.draw(r)
	c.decide(r)
	return c
}

// facts are the run in a few words.
func (r *run) facts() []string {
	end := "did not finish before the horizon"
	switch {
	case r.Met:
		end = "met its objective with " + span(r.ObjectiveS-*r.FinishS) + " to spare"
	case r.Finished:
		end = "finished " + span(*r.MissedByS) + " too late"
	}
	facts := []string{end, fmt.Sprintf("%.3f USD", r.CostUSD), fmt.Sprintf("%d preemptions", r.Preemptions), fmt.Sprintf("%.3f instance-hours", r.InstanceH)}
	if r.Warnings != "" {
		facts = append(facts, "warning: "+r.Warnings)
	}
	return facts
}

// draw fills in the lines: as they are, or as means over equal spans of time.
func (c *chart) draw(r *run) {
	var starts []int // of the stretches
	for i := 0; i < len(r.spans); i += len(r.stretch(i)) {
		starts = append(starts, i)
	}
	edges := make([]float64, 0, len(starts)+1)
	for _, i := range starts {
		edges = append(edges, r.spans[i].StartS)
	}
	edges = append(edges, r.end())
	if len(starts) > mostStretches {
		first, length := edges[0], r.end()-edges[0]
		edges = edges[:0]
		for k := range mostStretches + 1 {
			edges = append(edges, first+length*float64(k)/mostStretches)
		}
		c.Facts = append(c.Facts, fmt.Sprintf("drawn as means over %s each, of %d stretches", span(length/mostStretches), len(starts)))
	}
	find := c.seriesOf(r)
	held, price := c.means(r, edges, find)
	for k := range c.Series {
		c.Series[k].Held, c.Series[k].Price = append(held[k], held[k][len(held[k])-1]), append(price[k], price[k][len(price[k])-1])
	}
	c.lines(r, edges)
}

// seriesOf lists the types that were ever held or asked for and returns where
// that of a pool is, -1 for those that were not.
func (c *chart) seriesOf(r *run) map[string]int {
	type kind struct{ instance, market string }
	used := map[kind]bool{}
	for i := range r.spans {
		if s := &r.spans[i]; s.Held()+s.Waiting > 0 {
			used[kind{s.InstanceType, s.Market}] = true
		}
	}
	find, places, types := map[string]int{}, map[kind]int{}, []string{}
	for _, s := range r.stretch(0) {
		k := kind{s.InstanceType, s.Market}
		if !slices.Contains(types, s.InstanceType) {
			types = append(types, s.InstanceType)
		}
		if !used[k] {
			find[s.Pool] = -1
			continue
		}
		if _, has := places[k]; !has {
			places[k] = len(c.Series)
			c.Series = append(c.Series, series{Name: s.InstanceType + " " + s.Market, Dashed: s.Market == results.OnDemand,
				Color: hexColor(plots.TypeColor(slices.Index(types, s.InstanceType)))})
		}
		find[s.Pool] = places[k]
	}
	unused := slices.DeleteFunc(types, func(t string) bool { return used[kind{t, results.Spot}] || used[kind{t, results.OnDemand}] })
	if len(unused) > 0 {
		c.Facts = append(c.Facts, fmt.Sprintf("not drawn, since never asked for: %s", strings.Join(unused, ", ")))
	}
	return find
}

// means are the instances held and the price of each series between the edges.
func (c *chart) means(r *run, edges []float64, find map[string]int) (held, price [][]float64) {
	n := len(edges) - 1
	pools := make([]float64, len(c.Series))
	for _, k := range find {
		if k >= 0 {
			pools[k]++
		}
	}
	for range c.Series {
		held, price = append(held, make([]float64, n)), append(price, make([]float64, n))
	}
	bin := 0
	for i := range r.spans {
		s := &r.spans[i]
		k := find[s.Pool]
		if k < 0 {
			continue
		}
		for bin > 0 && edges[bin] > s.StartS { // the next pool of the stretch
			bin--
		}
		for ; bin < n && edges[bin] < s.EndS; bin++ {
			share := (min(edges[bin+1], s.EndS) - max(edges[bin], s.StartS)) / (edges[bin+1] - edges[bin])
			if share > 0 {
				held[k][bin] += share * float64(s.Held())
				price[k][bin] += share * s.PriceUSDPerH / pools[k]
			}
		}
		bin = max(bin-1, 0)
	}
	for k := range held {
		for i := range held[k] {
			held[k][i], price[k][i] = short(held[k][i]), short(price[k][i])
		}
	}
	return held, price
}

// lines are progress and cost at the edges; both are linear in a stretch.
func (c *chart) lines(r *run, edges []float64) {
	i, before, spent := 0, 0.0, 0.0
	for _, at := range edges {
		for i < len(r.spans) && r.spans[i].EndS <= at {
			before, spent = r.spans[i].Progress, r.spans[i].CostUSD
			i++
		}
		progress, usd := before, spent
		if i < len(r.spans) {
			s := &r.spans[i]
			share := (at - s.StartS) / (s.EndS - s.StartS)
			progress += share * (s.Progress - before)
			usd += share * (s.CostUSD - spent)
		}
		c.At = append(c.At, math.Round(at/3600*1e5)/1e5)
		c.Progress, c.CostUSD = append(c.Progress, short(100*progress)), append(c.CostUSD, short(usd))
	}
}

// decide fills in the decisions: those that changed the plan before the others.
func (c *chart) decide(r *run) {
	kept := r.decisions
	if len(kept) > mostDecisions {
		kept = slices.DeleteFunc(slices.Clone(kept), func(d results.Decision) bool { return !d.Changed })
		which := "those that changed the plan"
		if len(kept) > mostDecisions {
			kept, which = kept[:mostDecisions], "the first that changed the plan"
		}
		c.Facts = append(c.Facts, fmt.Sprintf("%d of %d decisions are listed: %s; marigram explain has all", len(kept), len(r.decisions), which))
	}
	places := map[string]int{}
	text := func(s string) int {
		if _, has := places[s]; !has {
			places[s] = len(c.Texts)
			c.Texts = append(c.Texts, s)
		}
		return places[s]
	}
	c.Decisions = []decision{}
	for i := range kept {
		d := &kept[i]
		out := decision{AtH: math.Round(d.AtS/3600*1e5) / 1e5, Trigger: text(d.Trigger), Saw: text(d.State), Inputs: text(d.Inputs),
			Wants: text(d.Plan), Why: text(d.Reason), Changed: d.Changed, Candidates: [][5]any{}}
		all := r.weighed(d.Number)
		out.Weighed = len(all)
		for _, k := range shown(all) {
			x := &all[k]
			var score any
			if p := finite(x.Score); p != nil {
				score = short(*p)
			}
			out.Candidates = append(out.Candidates, [5]any{text(x.Name), score, text(x.Unit), text(x.Note), x.Chosen})
		}
		c.Decisions = append(c.Decisions, out)
	}
}

// shown are the places of the candidates that a page has room for: those around
// the one taken.
func shown(all []results.Candidate) []int {
	from := 0
	if k := slices.IndexFunc(all, func(c results.Candidate) bool { return c.Chosen }); k > mostCandidates/2 {
		from = max(min(k-mostCandidates/2, len(all)-mostCandidates), 0)
	}
	var out []int
	for k := from; k < min(from+mostCandidates, len(all)); k++ {
		out = append(out, k)
	}
	return out
}
