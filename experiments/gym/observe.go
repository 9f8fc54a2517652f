package gym

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// Field is one number of an observation.
type Field struct {
	Name string  `json:"name"`
	Low  float64 `json:"low"`
	High float64 `json:"high"` // may be reached
}

// maxHours stands for spans that are longer, or that never end.
const maxHours = 1000.0

// Fields describes observations. Spans are in hours, at most 1,000; instances are numbers.
func (g *Study) Fields() []Field {
	if g.groups != nil {
		return g.clusterFieldsOf()
	}
	fields := []Field{
		{"elapsed_h", 0, maxHours},      // since the job was submitted
		{"left_h", -maxHours, maxHours}, // until the deadline
		{"done", 0, 1},                  // share of the training
		{"training", 0, 1},              // 1: it trains
		{"needs_h", 0, maxHours},        // until the goal on what trains now
		{"unsaved_h", 0, maxHours},      // since the last save
		{"leaving_h", 0, maxHours},      // until the next instance under notice goes
	}
	for i := range g.pools {
		p := &g.pools[i]
		quota := float64(p.Quota)
		fields = append(fields,
			Field{p.Name + " usd_per_h", 0, math.MaxFloat64},
			Field{p.Name + " starting", 0, quota},
			Field{p.Name + " ready", 0, quota},
			Field{p.Name + " noticed", 0, quota},
			Field{p.Name + " waiting", 0, quota},      // requests
			Field{p.Name + " waiting_h", 0, maxHours}, // since when
		)
	}
	return fields
}

// Observe appends the present observation; after the end of an episode it is all zeros.
func (e *Env) Observe(to []float64) []float64 {
	if !e.begun || e.end != Running {
		return append(to, make([]float64, e.of.width())...)
	}
	v := e.world.View()
	if e.of.groups != nil {
		return e.observeCluster(v, to)
	}
	job := v.Job(0)
	needs := maxHours
	if rate := job.Model().Rate(job.Layout()).Progress; rate > 0 {
		needs = hours(left(job) / rate)
	}
	submitted := e.deadline.Add(-job.Objective().Within)
	to = append(to, hours(v.Now().Sub(submitted).Seconds()), hours(e.deadline.Sub(v.Now()).Seconds()), job.Done(), flag(job.Training()),
		needs, hours(v.Now().Sub(max(job.LastSave(), submitted)).Seconds()), until(job.Leaving(), v.Now()))
	for p := range e.of.pools {
		h := v.Held(0, p)
		waiting := 0.0
		if h.WaitingSince < v.Now() {
			waiting = hours(v.Now().Sub(h.WaitingSince).Seconds())
		}
		to = append(to, v.Price(p), float64(h.Starting), float64(h.Ready), float64(h.Noticed), float64(h.Waiting), waiting)
	}
	return to
}

const jobFields, poolFields = 7, 6

// width is how many numbers an observation has.
func (g *Study) width() int {
	if g.groups != nil {
		return clusterFields + groupFields*len(g.groups) + g.rules.Slots*(slotFields+len(g.groups))
	}
	return jobFields + poolFields*len(g.pools)
}

// left is the progress from here to the goal.
func left(job sim.JobView) float64 {
	m := job.Model()
	goal := m.Goal(job.Objective().Loss)
	if loss := job.Loss(); !math.IsInf(loss, 1) {
		return goal - m.Goal(loss)
	}
	return goal - m.Begin(job.Layout())
}

func hours(seconds float64) float64 { return min(max(seconds/3600, -maxHours), maxHours) }

func until(t, now sim.Time) float64 {
	if t == sim.Never {
		return maxHours
	}
	return max(hours(t.Sub(now).Seconds()), 0)
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
