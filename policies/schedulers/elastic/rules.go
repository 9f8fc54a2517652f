package elastic

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// NewOptimus returns Optimus (EuroSys 2018, section 4.1): everybody gets the least, and then one GPU more at a time
// goes to the job whose remaining time that shortens most. The paper fits speed and convergence online, for training
// with parameter servers; here both are known.
func NewOptimus() *Scheduler {
	return &Scheduler{Interval: 600 * time.Second, rule: &optimus{}, name: "optimus"}
}

// NewFair returns max-min fairness: everybody the least, in the order of submission, and then one GPU more at a time
// for the job that has the smallest part of the most that it can use.
func NewFair() *Scheduler {
	return &Scheduler{Interval: time.Minute, rule: fair{}, name: "elastic-fair"}
}

// NewSRTF returns shortest remaining time first: the job that would end first by itself gets the most that it can use,
// then the next.
func NewSRTF() *Scheduler {
	return &Scheduler{Interval: time.Minute, rule: srtf{}, name: "srtf-elastic"}
}

// NewRay returns a shared cluster of jobs of Ray Train (2.x, its elastic scaling policy; one resize a minute): a job
// starts with what is free, first come first served, and grows at ticks; it never shrinks for others.
func NewRay() *Scheduler { return &Scheduler{Interval: time.Minute, rule: ray{}, name: "ray-fifo"} }

// optimus is the rule of NewOptimus.
type optimus struct{ gains []float64 }

// KnowsWork implements Rule.
func (*optimus) KnowsWork() bool { return true }

// Share implements Rule.
func (o *optimus) Share(s *Sharing) {
	left := s.GPUs
	o.gains = o.gains[:0]
	for _, x := range s.Jobs {
		if x.Least <= left {
			x.Gets = x.Least
			left -= x.Least
		}
		o.gains = append(o.gains, x.gain(left))
	}
	for left > 0 {
		best := 0
		for k, gain := range o.gains {
			if gain > o.gains[best] {
				best = k
			}
		}
		if o.gains[best] <= 0 {
			return
		}
		x := s.Jobs[best]
		x.Gets++
		o.gains[best] = x.gain(left)
		left--
	}
}

// gain is by how much one GPU more shortens what is left of a job; 0 if it cannot have one, or only loses.
func (x *Job) gain(free int) float64 {
	n := x.Gets
	if n == 0 || n >= x.Most || free == 0 {
		return 0
	}
	gain := (1/x.Speed(n) - 1/x.Speed(n+1)) * x.Left
	if !(gain > 0) {
		return 0
	}
	return gain
}

// fair is the rule of NewFair.
type fair struct{}

// KnowsWork implements Rule.
func (fair) KnowsWork() bool { return false }

// Share implements Rule.
func (fair) Share(s *Sharing) {
	left := s.GPUs
	for _, x := range s.Jobs {
		if x.Least <= left {
			x.Gets = x.Least
			left -= x.Least
		}
	}
	for ; left > 0; left-- {
		var poorest *Job
		for _, x := range s.Jobs {
			if x.Gets > 0 && x.Gets < x.Most && (poorest == nil || x.filled() < poorest.filled()) {
				poorest = x
			}
		}
		if poorest == nil {
			return
		}
		poorest.Gets++
	}
}

// filled is the part that a job gets of the most that it can use.
func (x *Job) filled() float64 { return float64(x.Gets) / float64(x.Most) }

// srtf is the rule of NewSRTF.
type srtf struct{}

// KnowsWork implements Rule.
func (srtf) KnowsWork() bool { return true }

// Share implements Rule.
func (srtf) Share(s *Sharing) {
	left := s.GPUs
	s.Order = append(s.Order, s.Jobs...)
	slices.SortStableFunc(s.Order, func(a, b *Job) int { return cmp.Compare(a.shortest(), b.shortest()) })
	for _, x := range s.Order {
		if x.Least <= left {
			x.Gets = min(x.Most, left)
			left -= x.Gets
		}
	}
}

// shortest is how long a job still takes on the most GPUs that it can use.
func (x *Job) shortest() float64 { return x.Left / x.Speed(x.Most) }

// ray is the rule of NewRay.
type ray struct{}

// KnowsWork implements Rule.
func (ray) KnowsWork() bool { return false }

// ActsBetweenTicks implements betweenTicks: jobs start at once.
func (ray) ActsBetweenTicks() {}

// Share implements Rule.
func (ray) Share(s *Sharing) {
	left := s.GPUs
	for _, x := range s.Jobs {
		x.Gets = x.Has
		left -= x.Has
	}
	for _, x := range s.Jobs {
		if x.Has > 0 {
			continue
		}
		if x.Least > left {
			break // nobody passes it
		}
		x.Gets = min(x.Most, left)
		left -= x.Gets
	}
	if !s.Tick {
		return
	}
	for _, x := range s.Jobs {
		if x.Has > 0 {
			more := min(x.Most-x.Has, left)
			x.Gets += more
			left -= more
		}
	}
}

// TiresiasTicks is Tiresias (NSDI 2019) as the simulator of Pollux has it (OSDI 2021, petuum/adaptdl, branch
// osdi21-artifact at c793c70): two queues, of jobs that keep the number of GPUs that they ask for. A tick counts as
// service of a job that had GPUs since the tick before, pauses included; at the limit it goes to the end of the
// second queue, and stays there. A job that does not fit waits, and later ones that fit run.
type TiresiasTicks struct {
	Scheduler
	// Limit is the service at which a job leaves the first queue, GPU-seconds: 16 GPU-hours in that simulator.
	Limit float64 `set:"limit" min:"0" max:"1000000000" doc:"service at which a job leaves the first queue, GPU-seconds"`
}

// NewTiresiasTicks returns it with its defaults.
func NewTiresiasTicks() *TiresiasTicks {
	t := &TiresiasTicks{Limit: 57600}
	t.Scheduler = Scheduler{Interval: time.Minute, Placement: MostFree, rule: t, name: "tiresias-ticks"}
	return t
}

// KnowsWork implements Rule.
func (*TiresiasTicks) KnowsWork() bool { return false }

// Share implements Rule.
func (t *TiresiasTicks) Share(s *Sharing) {
	for _, x := range s.Jobs {
		switch {
		case x.Queue == 0:
			x.enter(1, s.Now)
		case x.Has > 0:
			x.Served += s.Interval
			if x.Queue == 1 && x.Served.Seconds()*float64(x.Gang) >= t.Limit {
				x.enter(2, s.Now)
			}
		}
	}
	s.Order = append(s.Order, s.Jobs...)
	slices.SortStableFunc(s.Order, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Since, b.Since))
	})
	left := s.GPUs
	for _, x := range s.Order {
		if x.Gang <= left {
			x.Gets = x.Gang
			left -= x.Gang
		}
	}
}

// enter puts a job at the end of a queue.
func (x *Job) enter(queue int, now sim.Time) {
	x.Queue = queue
	x.Since = now
}

// PolluxLike is a search like that of Pollux (OSDI 2021), which its authors did not seed: it climbs from what the
// jobs have, one GPU more or less at a time, the best step first. What it minimises is the sum of 1/u over the jobs
// (the power mean of Pollux with p = -1): u is the speed by that on an equal part of the GPUs, times (age - restarts
// * cost)/(age + cost) where the job would be changed. A job gets at most twice the most GPUs that it had. Speeds are
// those of the spec: batch sizes do not change.
type PolluxLike struct {
	Scheduler
	// Cost is what a change is taken to cost; 30 s in Pollux.
	Cost time.Duration `set:"change_s" min:"0" max:"86400" doc:"time that a change of GPUs is taken to cost a job"`
}

// NewPolluxLike returns it with its defaults.
func NewPolluxLike() *PolluxLike {
	l := &PolluxLike{Cost: 30 * time.Second}
	l.Scheduler = Scheduler{Interval: time.Minute, rule: l, name: "pollux-like"}
	return l
}

// KnowsWork implements Rule.
func (*PolluxLike) KnowsWork() bool { return false }

// waits is what a job counts that has no GPUs, as much as a thousand that have their part.
const waits = 1000

// Share implements Rule.
func (l *PolluxLike) Share(s *Sharing) {
	left := s.GPUs
	equal := s.GPUs / len(s.Jobs)
	for _, x := range s.Jobs {
		x.Gets = x.Has
		left -= x.Has
	}
	for range 4 * (s.GPUs + len(s.Jobs)) { // each step is one down the hill: it ends long before
		gainer := l.bestGainer(s, equal)
		if gainer.job == nil {
			return
		}
		freed, worth := l.makeRoom(s, equal, gainer, left)
		if !worth {
			return
		}
		gainer.job.Gets += gainer.step
		left += freed - gainer.step
	}
}

// climb is a change of one job by a number of GPUs, and of the sum that is minimised.
type climb struct {
	job    *Job
	step   int
	change float64
}

// least is by how much a step down the hill lowers the sum at least.
const least = 1e-9

// bestGainer returns the best step up, which others may have to make room for.
func (l *PolluxLike) bestGainer(s *Sharing, equal int) (gainer climb) {
	for _, x := range s.Jobs {
		up := x.stepUp()
		if up == 0 {
			continue
		}
		change := l.cost(s, x, x.Gets+up, equal) - l.cost(s, x, x.Gets, equal)
		if change < -least && (gainer.job == nil || change < gainer.change) {
			gainer = climb{x, up, change}
		}
	}
	return gainer
}

// makeRoom takes GPUs from those that lose least until there are enough for a step up, of which some are left. It takes
// none, and reports false, if that is not worth it.
func (l *PolluxLike) makeRoom(s *Sharing, equal int, gainer climb, left int) (freed int, worth bool) {
	for _, x := range s.Jobs {
		x.before = x.Gets
	}
	change := gainer.change
	for left+freed < gainer.step {
		giver := l.bestGiver(s, equal, gainer.job)
		change += giver.change
		if giver.job == nil || change > -least {
			for _, x := range s.Jobs {
				x.Gets = x.before
			}
			return 0, false
		}
		giver.job.Gets -= giver.step
		freed += giver.step
	}
	return freed, true
}

// bestGiver returns the step down that costs least, of other jobs than one.
func (l *PolluxLike) bestGiver(s *Sharing, equal int, but *Job) (giver climb) {
	for _, x := range s.Jobs {
		down := x.stepDown()
		if down == 0 || x == but {
			continue
		}
		change := l.cost(s, x, x.Gets-down, equal) - l.cost(s, x, x.Gets, equal)
		if giver.job == nil || change < giver.change {
			giver = climb{x, down, change}
		}
	}
	return giver
}

// stepUp is how many GPUs more a job can have next, 0 for none.
func (x *Job) stepUp() int {
	switch most := min(x.Most, max(2*x.Peak, x.Least)); {
	case x.Gets == 0:
		return x.Least
	case x.Gets < most:
		return 1
	}
	return 0
}

// stepDown is how many GPUs a job can give next, 0 for none.
func (x *Job) stepDown() int {
	if x.Gets > x.Least {
		return 1
	}
	return x.Gets
}

// cost is what a job adds to the sum on n GPUs.
func (l *PolluxLike) cost(s *Sharing, x *Job, n, equal int) float64 {
	if n == 0 {
		return waits
	}
	u := x.Speed(n) / x.Speed(min(max(equal, x.Least), x.Most))
	if n != x.Has && x.Has > 0 {
		age := s.Now.Sub(x.Submitted).Seconds()
		cost := l.Cost.Seconds()
		u *= max(age-float64(x.Restarts)*cost, 0) / (age + cost)
	}
	if !(u > 1.0/waits) {
		return waits
	}
	return math.Min(1/u, waits)
}
