package gym

import (
	"fmt"
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
		return append(to, make([]float64, e.of.width)...)
	}
	v := e.world.View()
	if e.of.groups != nil {
		return e.observeCluster(v, to)
	}
	now := v.Now()
	job := v.Job(0)
	needs := maxHours
	if rate := job.Model().Rate(job.Layout()).Progress; rate > 0 {
		needs = hours(left(job) / rate)
	}
	submitted := e.deadline.Add(-job.Objective().Within)
	to = append(to, span(submitted, now), span(now, e.deadline), job.Done(), flag(job.Training()),
		needs, span(max(job.LastSave(), submitted), now), until(job.Leaving(), now))
	for p := range e.of.pools {
		held := v.Held(0, p)
		waiting := 0.0
		if held.WaitingSince < now {
			waiting = span(held.WaitingSince, now)
		}
		to = append(to, v.Price(p), float64(held.Starting), float64(held.Ready), float64(held.Noticed),
			float64(held.Waiting), waiting)
	}
	return to
}

// left is the progress from here to the goal.
func left(job sim.JobView) float64 {
	model := job.Model()
	goal := model.Goal(job.Objective().Loss)
	if loss := job.Loss(); !math.IsInf(loss, 1) {
		return goal - model.Goal(loss)
	}
	return goal - model.Begin(job.Layout())
}

func hours(seconds float64) float64 { return min(max(seconds/3600, -maxHours), maxHours) }

// span is the hours from an instant to another, below 0 where it is before it.
func span(from, to sim.Time) float64 { return hours(to.Sub(from).Seconds()) }

func until(t, now sim.Time) float64 {
	if t == sim.Never {
		return maxHours
	}
	return max(span(now, t), 0)
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// clusterFieldsOf describes observations of many jobs.
func (g *Study) clusterFieldsOf() []Field {
	fields := []Field{
		{"elapsed_h", 0, maxHours}, // since the run began
		{"jobs", 0, maxJobs},       // that are there
		{"running", 0, maxJobs},    // of them
		{"without_slot", 0, maxJobs},
	}
	for i := range g.groups {
		name := g.groups[i].name
		gpus := float64(g.groups[i].gpus)
		fields = append(fields, Field{name + " usd_per_h", 0, math.MaxFloat64}, // of a GPU, the lowest of its pools
			Field{name + " gpus", 0, gpus}, // within the quotas
			Field{name + " free", 0, gpus}, // that no job wants
			Field{name + " noticed", 0, gpus})
	}
	for k := range g.rules.Slots {
		slot := fmt.Sprintf("job %d ", k)
		fields = append(fields, Field{slot + "there", 0, 1}, Field{slot + "gpus", 0, maxJobs},
			Field{slot + "on", 0, float64(len(g.groups))}, // the group it runs on, from 1; 0: it waits
			Field{slot + "age_h", 0, maxHours},            // since its submission
			Field{slot + "ran_h", 0, maxHours},            // with GPUs
			Field{slot + "deadline_h", -maxHours, maxHours})
		for i := range g.groups {
			fields = append(fields, Field{slot + "left_h on " + g.groups[i].name, 0, maxHours})
		}
	}
	return fields
}

// observeCluster appends the present observation of many jobs.
func (e *Env) observeCluster(v sim.View, to []float64) []float64 {
	study := e.of
	now := v.Now()
	active := v.ActiveJobs()
	running := 0
	for _, j := range active {
		if v.Job(j).Want() > 0 {
			running++
		}
	}
	to = append(to, span(v.Start(), now), float64(min(len(active), maxJobs)), float64(min(running, maxJobs)),
		float64(max(len(active)-study.rules.Slots, 0)))
	for i := range study.groups {
		usd := math.Inf(1)
		free := 0
		noticed := 0
		for _, p := range study.groups[i].pools {
			usd = min(usd, v.Price(p))
			free += v.Free(p)
			noticed += len(v.Leaving(p, nil))
		}
		to = append(to, usd, float64(study.groups[i].gpus), float64(free), float64(noticed))
	}
	for slot := range study.rules.Slots {
		if slot >= len(active) {
			to = append(to, make([]float64, slotFields+len(study.groups))...)
			continue
		}
		j := active[slot]
		job := v.Job(j)
		left := maxHours
		if job.Objective().Within != sim.NoDeadline {
			left = span(now, job.Deadline())
		}
		to = append(to, 1, float64(min(gangOf(v, j).Gang(), maxJobs)), float64(e.groupOf(v, j)),
			span(job.Submitted(), now), hours(job.Ran().Seconds()), left)
		for i := range study.groups {
			needs := maxHours
			if speed := speedOn(v, j, &study.groups[i]); speed > 0 {
				needs = hours(job.WorkLeft() / speed)
			}
			to = append(to, needs)
		}
	}
	return to
}
