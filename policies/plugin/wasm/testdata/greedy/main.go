// Command greedy is marigram's policy greedy (Can't Be Late, NSDI 2024) as a WebAssembly module: an
// example of a policy in Go outside of marigram. Its decisions are those of the built-in one, to the
// last bit. Settings: instances (0 chooses), changeover_s (0 derives), poll_s.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o greedy.wasm .
package main

import (
	"math"
	"sort"
	"strings"
	"time"

	"github.com/marigram/marigram/policies/plugin/gomodule"
	"github.com/marigram/marigram/policies/plugin/message"
)

func main() {}

func init() { gomodule.Serve(func() gomodule.Policy { return new(greedy) }) }

type greedy struct {
	gomodule.Base
	poll       time.Duration
	instances  int
	changeover float64

	// Of the decision.
	v    *message.View
	plan *message.Plan
}

// Begin implements gomodule.Policy.
func (g *greedy) Begin(b *message.Begin) {
	g.Base.Begin(b)
	g.poll = nanoseconds(gomodule.Setting("poll_s", 600))
	g.instances = int(gomodule.Setting("instances", 0))
	g.changeover = gomodule.Setting("changeover_s", 0)
}

// Decide implements gomodule.Policy.
func (g *greedy) Decide(v *message.View, plan *message.Plan) {
	g.v, g.plan = v, plan
	for i := range v.Jobs {
		g.decide(i, &v.Jobs[i], g.Plan(v, i, plan))
	}
}

// The answers of the rule.
const (
	nothing = iota
	spot
	onDemand
)

func (g *greedy) decide(i int, j *message.Job, mine *message.JobPlan) {
	n := g.instances
	if n == 0 {
		n = g.size(j)
	}
	a := gomodule.Ask(&message.Ask{Job: j.Job, Instances: n})
	if a.Pipelined {
		mine.Pipelines, mine.Stages = &a.Pipelines, &a.Stages
	}
	mine.Workers = &n
	s, since := g.observe(j, n, &a)
	expensive := g.onDemandPool(n)
	g.WakeIn(g.poll-since%g.poll, g.plan)
	choice := s.rule()
	g.AddInput(g.v, "work left", s.work-s.done, "s", g.plan)
	g.AddInput(g.v, "time left", s.deadline-s.now, "s", g.plan)
	if expensive < 0 && choice == onDemand {
		choice = spot
	}
	if s.running == onDemand && choice != onDemand && !g.Saved(g.v, i, g.plan) {
		return
	}
	if choice == onDemand {
		g.move(i, j, n, expensive, s, since%g.poll == 0)
	} else {
		g.requestSpot(i, j, n)
		g.plan.Because = "on spot, or waiting for it"
	}
	g.KeepSaved(g.v, i, g.poll, true, g.plan)
}

// state is what the rule knows; spans in seconds.
type state struct {
	now, deadline, work, done, changeover, warming, grain float64
	available                                             bool
	running                                               int
}

func (s *state) grains(x float64) float64 { return math.Ceil(x/s.grain) * s.grain }

func (s *state) rule() int {
	if s.work-s.done <= 1e-3 {
		return nothing
	}
	if s.available {
		return s.safe(spot)
	}
	return s.safe(nothing)
}

// safe is the safety net.
func (s *state) safe(answer int) int {
	left := math.Floor((s.deadline-s.now)/s.grain) * s.grain
	work := s.work - s.done
	if s.grains(work+2*s.changeover) >= left && s.running != spot {
		answer = onDemand
	}
	if s.grains(work+s.changeover) < left {
		return answer
	}
	if s.changeover == 0 && s.available || s.running == spot && s.warming < 1e-3 {
		return spot
	}
	return onDemand
}

func (g *greedy) changing(a *message.Answer) float64 {
	if g.changeover > 0 {
		return g.changeover
	}
	return a.ReadyS + a.LossS
}

func (g *greedy) working(a *message.Answer) float64 {
	whole := math.Inf(1)
	if a.WholeS != nil {
		whole = *a.WholeS
	}
	return whole * (1 + a.SaveS/g.poll.Seconds())
}

// size is the smallest number of instances that leaves time to wait for spot, or else that meets the
// deadline.
func (g *greedy) size(j *message.Job) int {
	spots, expensive := 0, 0
	for _, p := range g.Pools {
		if p.OnDemand {
			expensive = max(expensive, p.Quota)
		} else {
			spots += p.Quota
		}
	}
	ask := func(n int) message.Answer { return gomodule.Ask(&message.Ask{Job: j.Job, Instances: n}) }
	most := min(max(spots, expensive, 1), ask(1).Max)
	s := state{now: g.poll.Seconds(), deadline: j.WithinS, grain: g.poll.Seconds()}
	n := 1 + sort.Search(most, func(i int) bool {
		a := ask(i + 1)
		s.work, s.changeover = g.working(&a), g.changing(&a)
		return s.safe(spot) == spot
	})
	if n > most {
		n = 1 + sort.Search(most, func(i int) bool {
			a := ask(i + 1)
			return g.working(&a)+g.changing(&a) <= s.deadline
		})
	}
	n = max(min(n, most), 1)
	if a := ask(n); a.Pipelined {
		n = max(a.Pipelines*a.Stages, 1)
	}
	return n
}

func (g *greedy) observe(j *message.Job, n int, a *message.Answer) (s *state, since time.Duration) {
	since = instant(g.v.NowS) - (instant(j.DeadlineS) - nanoseconds(j.WithinS))
	s = &state{now: since.Truncate(time.Millisecond).Seconds(), deadline: j.WithinS, grain: g.poll.Seconds(), work: g.working(a),
		changeover: g.changing(a)}
	spots, ready, expensive := 0, 0, 0
	for _, h := range j.Held {
		if g.Pools[h.Pool].OnDemand {
			expensive += h.Starting + h.Ready
		} else {
			spots += h.Starting + h.Ready
			ready += h.Ready
		}
	}
	s.available = spots >= n
	offered := strings.Contains(g.v.Trigger, "grant") && ready == 0
	switch {
	case expensive > 0:
		s.running = onDemand
	case s.available && !offered:
		s.running = spot
	}
	if !j.Training {
		s.warming = s.changeover
	}
	s.done = j.Done * s.work
	return s, since
}

func (g *greedy) onDemandPool(n int) int {
	best := -1
	for i, p := range g.Pools {
		if p.OnDemand && p.Quota >= n && (best < 0 || g.v.Prices[i] < g.v.Prices[best]) {
			best = i
		}
	}
	return best
}

// move holds instances on demand, and requests spot where the rule would take it.
func (g *greedy) move(i int, j *message.Job, n, expensive int, s *state, poll bool) {
	hold, granted := g.Hold(g.v, i, g.plan), 0
	for _, h := range j.Held {
		if !g.Pools[h.Pool].OnDemand {
			granted += h.Starting + h.Ready
		}
	}
	s.available = true
	switch {
	case granted > 0 || s.rule() == onDemand:
		clear(hold)
	case poll && !strings.Contains(g.v.Trigger, "again"):
		g.requestSpot(i, j, n)
		g.plan.Again = true
	}
	h := g.Held(g.v, i, expensive)
	hold[expensive] = h.Starting + h.Ready
	hold[expensive] += min(max(n-hold[expensive], 0), g.Headroom(g.v, g.plan, i, expensive))
	g.plan.Because = "on demand"
}

func (g *greedy) requestSpot(i int, j *message.Job, most int) {
	hold, missing := g.Hold(g.v, i, g.plan), most
	for _, h := range j.Held {
		if !g.Pools[h.Pool].OnDemand {
			missing -= h.Starting + h.Ready
		}
	}
	for p := range g.Pools {
		hold[p] = 0
		if g.Pools[p].OnDemand {
			continue
		}
		h := g.Held(g.v, i, p)
		hold[p] = h.Starting + h.Ready + min(max(missing, 0), g.Headroom(g.v, g.plan, i, p))
		if hold[p] > h.Starting+h.Ready+h.Waiting && g.Pools[p].BootMedianS == 0 {
			g.plan.Again = true
		}
	}
	for missing < 0 {
		mostExpensive := -1
		for p := range hold {
			if hold[p] > 0 && (mostExpensive < 0 || g.v.Prices[p] > g.v.Prices[mostExpensive]) {
				mostExpensive = p
			}
		}
		give := min(hold[mostExpensive], -missing)
		hold[mostExpensive] -= give
		missing += give
	}
}

// nanoseconds returns seconds as a span; spans of models may be that fine.
func nanoseconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// instant returns an instant in seconds as a span since the beginning of the traces.
func instant(s float64) time.Duration { return time.Duration(math.Round(s*1e6)) * time.Microsecond }
