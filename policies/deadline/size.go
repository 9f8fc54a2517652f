package deadline

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Instances returns how many instances greedy, uniform-progress and time-sliced
// take where no number is set, at most largest. It is the smallest number with which
// the safety net lets the job wait for spot at the first poll: the time left is
// longer than the work with its saves and two changeovers. If there is
// none, it is the smallest number that meets the objective on demand from the
// start, with one changeover; else the largest number that the model can use.
// Servers is the number of parameter servers. A changeover of 0 is derived: until all
// instances have booted in the slowest of the pools, with a probability of 99 %, and
// then for as long as the model says that the loss of one stops the job.
func Instances(
	m sim.Model, o sim.Objective, servers int, changeover, poll time.Duration, largest int, boots ...sim.Boot,
) int {
	s := sizing{changeover: changeover, poll: poll, boots: boots}
	return s.size(m, o, servers, largest)
}

// sizing is how a policy decides on the number of its instances.
type sizing struct {
	changeover, poll time.Duration
	boots            []sim.Boot // of the pools, those that are alike once
	booted           booted
	trial            policyutil.Trial // scratch memory, as is the next
	loss             policyutil.Loss
}

// maxBoots is with how many the boot of a pool is compared: there are few kinds, or many.
const maxBoots = 16

// listBoots lists the boots of the pools.
func (d *sizing) listBoots(v sim.View) {
	d.boots = d.boots[:0]
	for p := range v.Pools() {
		boot := v.Pool(p).Boot
		if !slices.Contains(d.boots[:min(len(d.boots), maxBoots)], boot) {
			d.boots = append(d.boots, boot)
		}
	}
}

// changing returns the seconds that a changeover takes on n instances: the setting, or
// derived. The trial has the layout (work).
func (d *sizing) changing(m sim.Model, n int) float64 {
	if d.changeover > 0 {
		return d.changeover.Seconds()
	}
	return d.booted.within(d.boots, n) + d.loss.Of(m, d.trial.Layout()).Stall.Seconds()
}

// booted is until when instances have booted in the slowest of some pools, as it was worked out last: a memory, never a
// state.
type booted struct {
	n       int
	boots   []sim.Boot
	seconds float64
}

// within returns the seconds until n instances have booted, with a probability of 99 %.
func (b *booted) within(boots []sim.Boot, n int) float64 {
	if b.n == n && slices.Equal(b.boots, boots) {
		return b.seconds
	}
	b.n = n
	b.boots = append(b.boots[:0], boots...)
	b.seconds = 0
	for _, boot := range boots {
		b.seconds = max(b.seconds, policyutil.ReadyAfter(boot, n, 0.99))
	}
	return b.seconds
}

// size is Instances, by bisection: more instances take no longer, as far as the
// model can use them.
func (d *sizing) size(m sim.Model, o sim.Objective, servers, largest int) int {
	pipelines, piped := m.(sim.PipelineModel)
	workers, sideBySide := m.(sim.WorkerModel)
	if piped {
		largest = min(largest, pipelines.MaxUseful())
	} else if sideBySide {
		_, useful := workers.WorkerBounds(math.Inf(1), o.Loss, o.Within.Seconds())
		largest = min(largest, useful)
	}
	s := State{Now: d.poll.Seconds(), Deadline: o.Within.Seconds(), Grain: d.poll.Seconds()}
	n := 1 + sort.Search(largest, func(i int) bool {
		s.Work = d.work(m, o, servers, i+1)
		s.Changeover = d.changing(m, i+1)
		return s.Safe(SpotMachine) == SpotMachine
	})
	if n > largest {
		n = 1 + sort.Search(largest, func(i int) bool {
			return d.work(m, o, servers, i+1)+d.changing(m, i+1) <= s.Deadline
		})
	}
	n = max(min(n, largest), 1)
	if piped {
		rows, stages := pipelines.Best(n)
		n = max(rows*stages, 1)
	}
	return n
}

// maxAtOnce returns the most instances that the quotas allow at one time on spot, or on demand in one pool.
func maxAtOnce(v sim.View) int {
	spot := 0
	expensive := 0
	for p := range v.Pools() {
		pool := v.Pool(p)
		if pool.OnDemand {
			expensive = max(expensive, pool.Quota)
		} else {
			spot += pool.Quota
		}
	}
	return max(spot, expensive, 1)
}

// work returns the seconds that the whole job takes on n instances, with the saves that are made before any loss is
// seen.
func (d *sizing) work(m sim.Model, o sim.Objective, servers, n int) float64 {
	seconds, layout := d.trial.Train(m, o, servers, n)
	stall, _ := m.SaveTime(layout)
	if stall == 0 {
		return seconds
	}
	return seconds * (1 + stall.Seconds()/policyutil.FirstInterval(m, stall).Seconds())
}

// Machine is what a deadline rule asks for: nothing, one spot instance or one on
// demand.
type Machine uint8

// The answers.
const (
	NoMachine Machine = iota
	SpotMachine
	OnDemandMachine
)

// State is what a deadline rule knows. Spans are in seconds.
type State struct {
	Now        float64 // since the job was submitted
	Deadline   float64 // since the same
	Work       float64 // useful time that the job takes in all
	Done       float64 // of Work
	Changeover float64 // lost whenever another machine takes over
	Warming    float64 // part of the present changeover that is left
	Grain      float64 // between two decisions; times are compared in multiples of it
	Available  bool    // spot can be had
	Running    Machine // what the job has

	// What only an oracle knows.
	NextSpot   float64 // length of the present or next stretch with spot
	NextWait   float64 // until it begins; 0 if it has
	PriceRatio float64 // of on demand to spot, above 1
}

// Left is the useful time that is to do, s.
func (s *State) Left() float64 { return s.Work - s.Done }

// Grains rounds a span up to whole grains.
func (s *State) Grains(x float64) float64 { return math.Ceil(x/s.Grain) * s.Grain }

// Spot is the answer of a rule that takes spot or nothing.
func (s *State) Spot() Machine {
	if s.Available {
		return SpotMachine
	}
	return NoMachine
}

// Safe is the safety net: it overrides an answer that would risk the deadline.
func (s *State) Safe(answer Machine) Machine {
	left := math.Floor((s.Deadline-s.Now)/s.Grain) * s.Grain
	if s.Grains(s.Left()+2*s.Changeover) >= left && s.Running != SpotMachine {
		answer = OnDemandMachine
	}
	if s.Grains(s.Left()+s.Changeover) < left {
		return answer
	}
	if s.Changeover == 0 && s.Available || s.Running == SpotMachine && s.Warming < 1e-3 {
		return SpotMachine
	}
	return OnDemandMachine
}
