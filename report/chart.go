package report

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
)

// What a page holds of runs, lest it grow without end.
const (
	maxRuns      = 20
	maxStretches = 400
)

// chart is a run as the page's script draws it. Text stands once, in Texts, and
// is named by its place.
type chart struct {
	Policy string   `json:"policy"`
	Name   string   `json:"name"`
	Style  style    `json:"style"`
	Facts  []string `json:"facts"` // what came out of it, and what is not shown
	GoalH  float64  `json:"goal"`  // hours; 0 of many jobs
	// At is hours: where each stretch begins, and where the last ends. What holds in
	// a stretch has a value for each, and the last of them twice.
	At        []float64      `json:"at"`
	Series    []series       `json:"series"`
	Progress  []float64      `json:"progress"` // per cent at the instants of At
	CostUSD   []float64      `json:"cost"`     // likewise
	Activity  []int          `json:"activity"` // of the job in each stretch, places in Texts
	Decisions []decision     `json:"decisions"`
	Texts     []string       `json:"texts"`
	places    map[string]int // of Texts
	run       *run
}

// style is how a policy is drawn (canvas.Style).
type style struct {
	Color   string       `json:"color"` // custom property of the page's theme
	Dashes  []float64    `json:"dashes"`
	Outline [][2]float64 `json:"outline"`
}

func styleOf(policy string, theme *canvas.Theme) style {
	l := canvas.StyleOf(policy)
	return style{theme.Name(l.Color), l.Dashes(), l.Outline()}
}

// series is the instances of one type on one market, all pools together.
type series struct {
	Name   string    `json:"name"`
	Color  string    `json:"color"`  // custom property of the page's theme
	Dashed bool      `json:"dashed"` // on demand
	Held   []float64 `json:"held"`
	Price  []float64 `json:"price"` // USD/h, mean over the pools
}

// chartOf makes a run's chart.
func chartOf(r *run, theme *canvas.Theme) *chart {
	c := &chart{Policy: r.Policy, Name: r.name(), Style: styleOf(r.Policy, theme), GoalH: r.ObjectiveS / 3600,
		Facts: r.facts(), places: map[string]int{}, run: r}
	if r.ManyJobs() {
		c.GoalH = 0
	}
	c.draw(r, theme)
	leftOut := ""
	if c.Decisions, leftOut = decisionsOf(r, c.text); leftOut != "" {
		c.Facts = append(c.Facts, leftOut)
	}
	return c
}

// text returns the place of a text in Texts.
func (c *chart) text(s string) int {
	if _, has := c.places[s]; !has {
		c.places[s] = len(c.Texts)
		c.Texts = append(c.Texts, s)
	}
	return c.places[s]
}

// facts are the run in a few words.
func (r *run) facts() []string {
	end := "did not finish before the horizon"
	switch {
	case r.ManyJobs():
		end = fmt.Sprintf("%d of %s done", r.JobsDone, count(int(r.Summary.Jobs), "job", "jobs"))
	case r.Met && r.FinishS == nil:
		end = "met its objective with " + units.Percent(r.Progress) + " of the work done"
	case r.Met:
		end = "met its objective with " + span(r.ObjectiveS-*r.FinishS) + " to spare"
	case r.Finished && r.MissedByS == nil:
		end = "finished without meeting its objective"
	case r.Finished:
		end = "finished " + span(*r.MissedByS) + " too late"
	}
	facts := []string{end, units.USD(r.CostUSD) + " USD", count(int(r.Preemptions), "preemption", "preemptions"),
		fmt.Sprintf("%.3f instance-hours", r.InstanceH)}
	if r.Warnings != "" {
		facts = append(facts, "warning: "+r.Warnings)
	}
	return facts
}

// draw fills in the lines: as they are, or as means over equal spans of time.
func (c *chart) draw(r *run, theme *canvas.Theme) {
	edges := make([]float64, 0, len(r.job)+1)
	for i := range r.job {
		edges = append(edges, r.job[i].StartS)
	}
	edges = append(edges, r.end())
	if len(r.job) > maxStretches {
		first, length := edges[0], r.end()-edges[0]
		edges = edges[:0]
		for k := range maxStretches + 1 {
			edges = append(edges, first+length*float64(k)/maxStretches)
		}
		c.Facts = append(c.Facts, fmt.Sprintf("drawn as means over %s each, of %d stretches", span(length/maxStretches),
			len(r.job)))
	}
	find := c.seriesOf(r, theme)
	held, price := c.means(r, edges, find)
	for k := range c.Series {
		c.Series[k].Held, c.Series[k].Price = append(held[k], held[k][len(held[k])-1]),
			append(price[k], price[k][len(price[k])-1])
	}
	c.lines(r, edges)
}

// seriesOf lists the types that were ever held or asked for and returns where
// that of a pool is, -1 for those that were not.
func (c *chart) seriesOf(r *run, theme *canvas.Theme) map[string]int {
	type kind struct{ instance, market string }
	used := map[kind]bool{}
	for i := range r.Spans {
		if s := &r.Spans[i]; s.Used() {
			used[kind{s.InstanceType, s.Market}] = true
		}
	}
	find, places, types := map[string]int{}, map[kind]int{}, []string{}
	for _, s := range results.FirstSpans(r.Spans) {
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
				Color: theme.Name(canvas.TypeColor(slices.Index(types, s.InstanceType)))})
		}
		find[s.Pool] = places[k]
	}
	unused := slices.DeleteFunc(types, func(t string) bool {
		return used[kind{t, results.Spot}] ||
			used[kind{t, results.OnDemand}]
	})
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
	for i := range r.Spans {
		s := &r.Spans[i]
		k := find[s.Pool]
		if k < 0 {
			continue
		}
		for bin > 0 && edges[bin] > s.StartS { // the row before reached further
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
		for i < len(r.job) && r.job[i].EndS <= at {
			before, spent = r.job[i].Progress, r.job[i].CostUSD
			i++
		}
		progress, usd := before, spent
		if i < len(r.job) {
			s := &r.job[i]
			share := (at - s.StartS) / (s.EndS - s.StartS)
			progress += share * (s.Progress - before)
			usd += share * (s.CostUSD - spent)
		}
		c.Activity = append(c.Activity, c.text(r.job[min(i, len(r.job)-1)].Activity))
		c.At = append(c.At, math.Round(at/3600*1e5)/1e5)
		c.Progress, c.CostUSD = append(c.Progress, short(100*progress)), append(c.CostUSD, short(usd))
	}
}
