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
	l := theme.Styles.Of(policy)
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
	c := &chart{
		Policy: r.Policy,
		Name:   r.name(),
		Style:  styleOf(r.Policy, theme),
		Facts:  r.facts(),
		places: map[string]int{},
		run:    r,
	}
	if !r.ManyJobs() {
		c.GoalH = r.ObjectiveS / 3600
	}
	c.draw(r, theme)
	decisions, leftOut := decisionsOf(r, c.text)
	c.Decisions = decisions
	if leftOut != "" {
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
		end = fmt.Sprintf("%d of %s done", r.JobsDone, units.Count(int(r.Summary.Jobs), "job", "jobs"))
	case r.Met && r.FinishS == nil:
		end = "met its objective with " + units.Percent(r.Progress) + " of the work done"
	case r.Met:
		end = "met its objective with " + span(r.ObjectiveS-*r.FinishS) + " to spare"
	case r.Finished && r.MissedByS == nil:
		end = "finished without meeting its objective"
	case r.Finished:
		end = "finished " + span(*r.MissedByS) + " too late"
	}
	facts := []string{end, units.USD(r.CostUSD) + " USD", units.Count(int(r.Preemptions), "preemption", "preemptions"),
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
		first := edges[0]
		length := r.end() - first
		edges = edges[:0]
		for k := range maxStretches + 1 {
			edges = append(edges, first+length*float64(k)/maxStretches)
		}
		c.Facts = append(c.Facts,
			fmt.Sprintf("drawn as means over %s each, of %d stretches", span(length/maxStretches), len(r.job)))
	}
	c.addMeans(r, edges, c.addSeries(r, theme))
	c.addLines(r, edges)
}

// addSeries adds a series for each type that was ever held or asked for, and returns the place of
// that of a pool, -1 for those that were not.
func (c *chart) addSeries(r *run, theme *canvas.Theme) map[string]int {
	type kind struct{ instance, market string }
	used := map[kind]bool{}
	for i := range r.Spans {
		row := &r.Spans[i]
		if row.Used() {
			used[kind{row.InstanceType, row.Market}] = true
		}
	}
	ofPool := map[string]int{}
	places := map[kind]int{}
	var types []string
	for _, row := range results.FirstSpans(r.Spans) {
		own := kind{row.InstanceType, row.Market}
		if !slices.Contains(types, row.InstanceType) {
			types = append(types, row.InstanceType)
		}
		if !used[own] {
			ofPool[row.Pool] = -1
			continue
		}
		if _, has := places[own]; !has {
			places[own] = len(c.Series)
			color := canvas.TypeColor(slices.Index(types, row.InstanceType))
			c.Series = append(c.Series, series{
				Name:   row.InstanceType + " " + row.Market,
				Dashed: row.Market == results.OnDemand,
				Color:  theme.Name(color),
			})
		}
		ofPool[row.Pool] = places[own]
	}
	unused := slices.DeleteFunc(types, func(name string) bool {
		return used[kind{name, results.Spot}] || used[kind{name, results.OnDemand}]
	})
	if len(unused) > 0 {
		c.Facts = append(c.Facts, fmt.Sprintf("not drawn, since never asked for: %s", strings.Join(unused, ", ")))
	}
	return ofPool
}

// addMeans adds the mean instances held and price of each series between the edges, the last of them twice.
func (c *chart) addMeans(r *run, edges []float64, ofPool map[string]int) {
	bins := len(edges) - 1
	pools := make([]float64, len(c.Series))
	for _, at := range ofPool {
		if at >= 0 {
			pools[at]++
		}
	}
	for k := range c.Series {
		c.Series[k].Held = make([]float64, bins, bins+1)
		c.Series[k].Price = make([]float64, bins, bins+1)
	}
	bin := 0
	for i := range r.Spans {
		row := &r.Spans[i]
		at := ofPool[row.Pool]
		if at < 0 {
			continue
		}
		for bin > 0 && edges[bin] > row.StartS { // the row before reached further
			bin--
		}
		for ; bin < bins && edges[bin] < row.EndS; bin++ {
			share := (min(edges[bin+1], row.EndS) - max(edges[bin], row.StartS)) / (edges[bin+1] - edges[bin])
			if share > 0 {
				c.Series[at].Held[bin] += share * float64(row.Held())
				c.Series[at].Price[bin] += share * row.PriceUSDPerH / pools[at]
			}
		}
		bin = max(bin-1, 0)
	}
	for k := range c.Series {
		one := &c.Series[k]
		for i := range bins {
			one.Held[i] = short(one.Held[i])
			one.Price[i] = short(one.Price[i])
		}
		one.Held = append(one.Held, one.Held[bins-1])
		one.Price = append(one.Price, one.Price[bins-1])
	}
}

// addLines adds progress and cost at the edges; both are linear in a stretch.
func (c *chart) addLines(r *run, edges []float64) {
	var before results.Span // the last stretch that has ended
	i := 0
	for _, at := range edges {
		for i < len(r.job) && r.job[i].EndS <= at {
			before = r.job[i]
			i++
		}
		progress := before.Progress
		usd := before.CostUSD
		if i < len(r.job) {
			stretch := &r.job[i]
			share := (at - stretch.StartS) / (stretch.EndS - stretch.StartS)
			progress += share * (stretch.Progress - before.Progress)
			usd += share * (stretch.CostUSD - before.CostUSD)
		}
		c.Activity = append(c.Activity, c.text(r.job[min(i, len(r.job)-1)].Activity))
		c.At = append(c.At, math.Round(at/3600*1e5)/1e5)
		c.Progress = append(c.Progress, short(100*progress))
		c.CostUSD = append(c.CostUSD, short(usd))
	}
}
