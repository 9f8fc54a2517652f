package reference

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/policies/deadline"
)

// Optimum returns the cheapest run of the job that meets the deadline and is on
// spot only where there is some: the bound of Can't Be Late, by one who knows all
// of the sequence. Spans must be whole seconds. By dynamic programming over ticks,
// machines and work done, in time ticks * work / gcd of tick, changeover and work.
// An error means that no run meets the deadline.
func (j *Job) Optimum(available []bool) (Result, error) {
	o, err := newOptimum(j, available)
	if err != nil {
		return Result{}, err
	}
	if cost := o.solve(available); math.IsInf(cost, 1) {
		return Result{}, fmt.Errorf("no run does %v s of work within %v s", j.WorkS, j.DeadlineS)
	}
	return j.Replay(o, available)
}

// optimum knows the best answer by tick, machine held and work done.
type optimum struct {
	tick, changeover int // seconds
	unit             int // seconds of work that are counted as one
	units            int // of work in all
	ticks            int // in which work counts
	warm             int // ticks of a changeover
	usd              [deadline.OnDemandMachine + 1]float64
	answers          [][][]deadline.Machine // by tick, holding, units done
}

// holding is a machine since a number of ticks, at most warm.
type holding struct {
	machine deadline.Machine
	since   int
}

func (o *optimum) index(h holding) int {
	if h.machine == deadline.NoMachine {
		return 0
	}
	return 1 + int(h.machine-deadline.SpotMachine)*(o.warm+1) + h.since
}

func (o *optimum) holdings() []holding {
	all := []holding{{}}
	for _, m := range []deadline.Machine{deadline.SpotMachine, deadline.OnDemandMachine} {
		for since := range o.warm + 1 {
			all = append(all, holding{m, since})
		}
	}
	return all
}

// maxOptimum bounds the answers that are kept, a byte each.
const maxOptimum = 1 << 29

func newOptimum(j *Job, available []bool) (*optimum, error) {
	o := &optimum{tick: int(j.TickS), changeover: int(j.ChangeoverS)}
	work := int(j.WorkS)
	if float64(o.tick) != j.TickS || float64(o.changeover) != j.ChangeoverS || float64(work) != j.WorkS || o.tick < 1 ||
		work < 1 || o.changeover < 0 {
		return nil, fmt.Errorf("ticks of %v s, changeovers of %v s, work of %v s, expected whole seconds", j.TickS,
			j.ChangeoverS, j.WorkS)
	}
	o.unit = gcd(gcd(o.tick, o.changeover), work)
	o.units = work / o.unit
	o.warm = (o.changeover + o.tick - 1) / o.tick
	o.ticks = min(int(j.DeadlineS)/o.tick, len(available))
	o.usd[deadline.SpotMachine] = j.TickS / 3600 * j.SpotUSDPerH
	o.usd[deadline.OnDemandMachine] = j.TickS / 3600 * j.OnDemandUSDPerH
	if n := float64(o.ticks) * float64(o.units) * float64(2*o.warm+3); n > maxOptimum {
		return nil, fmt.Errorf("%v ticks of %d units of %d s, expected spans that have a larger divisor in common", o.ticks,
			o.units, o.unit)
	}
	return o, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// solve fills in the answers, from the last tick to the first, and returns the
// least cost.
func (o *optimum) solve(available []bool) float64 {
	if o.ticks < 2 {
		return math.Inf(1) // nothing runs in the first tick
	}
	all := o.holdings()
	next, now := o.table(all), o.table(all)
	o.answers = make([][][]deadline.Machine, o.ticks)
	for i := o.ticks - 2; i >= 0; i-- {
		o.answers[i] = make([][]deadline.Machine, len(all))
		for k, h := range all {
			o.answers[i][k] = make([]deadline.Machine, o.units)
			if h.machine == deadline.SpotMachine && !available[i] {
				continue // it is gone
			}
			for done := range o.units {
				now[k][done], o.answers[i][k][done] = o.best(h, done, available[i], available[i+1], next)
			}
		}
		next, now = now, next
	}
	return next[0][0]
}

// table returns costs by holding and units done, all +Inf.
func (o *optimum) table(all []holding) [][]float64 {
	t := make([][]float64, len(all))
	for k := range t {
		t[k] = make([]float64, o.units)
		for u := range t[k] {
			t[k][u] = math.Inf(1)
		}
	}
	return t
}

// best returns the best answer of one who holds h, and its cost to the end.
// later is what follows from the tick after.
func (o *optimum) best(h holding, done int, spot, spotThen bool, later [][]float64) (cost float64,
	answer deadline.Machine) {
	cost = math.Inf(1)
	for m := deadline.NoMachine; m <= deadline.OnDemandMachine; m++ {
		if m == deadline.SpotMachine && !spot {
			continue
		}
		then := holding{machine: m}
		if m == h.machine {
			then.since = h.since
		}
		c, sum := o.usd[m], done+o.useful(then)
		then.since = min(then.since+1, o.warm)
		if m == deadline.SpotMachine && !spotThen {
			then = holding{}
		}
		if sum < o.units {
			c += later[o.index(then)][sum]
		}
		if c < cost {
			cost, answer = c, m
		}
	}
	return cost, answer
}

// useful returns the units of work that a tick does.
func (o *optimum) useful(h holding) int {
	if h.machine == deadline.NoMachine {
		return 0
	}
	return max(o.tick-max(o.changeover-h.since*o.tick, 0), 0) / o.unit
}

// Answer implements Rule.
func (o *optimum) Answer(s *deadline.State) deadline.Machine {
	done := int(math.Round(s.Done)) / o.unit
	if done >= o.units {
		return deadline.NoMachine
	}
	h := holding{machine: s.Running, since: o.warm}
	if s.Warming > 0 {
		h.since = (o.changeover - int(math.Round(s.Warming))) / o.tick
	}
	return o.answers[int(math.Round(s.Now))/o.tick][o.index(h)][done]
}
