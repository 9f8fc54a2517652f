package schedulers

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// edfPlan is the plan ahead of EDF: in which order jobs get servers, and which of them rent because servers cannot do all in time.
type edfPlan struct {
	made sim.Time  // when, 0: never
	line []planned // jobs that servers can do, in their order
	ask  []int     // places in the line: who rents first
	todo []float64 // of simulate: what is left, by place; who is not done
	live []int
	upTo int // number of jobs of the line that simulate looks at
	work int // steps of jobs that were simulated, at most effort
}

// planned is a job in the plan. Times are in seconds, from now on.
type planned struct {
	job, gang int
	need      float64 // time on servers
	due       float64 // when it has to be done
	rented    bool    // it is on spot
	rents     bool    // it is to rent
	mayRent   bool    // it can: else it stays in the line, however late it will be
	lacks     float64 // what servers cannot do of it in time
}

// effort is how much is simulated for a plan: 400 orders of five jobs, and a few of a hundred.
const effort = 20_000

// size is what a job has to do, GPU-seconds.
func (x *planned) size() float64 { return x.need * float64(x.gang) }

// shed makes the plan: the line, and which jobs rent, as many that the others can be done on servers in time. It is kept while no job comes, goes or is
// refused spot, at most for pollEvery.
func (e *EDF) shed(v sim.View, plan *sim.Plan, s *deadlineState) {
	p := &s.plan
	p.made, p.line, p.work = v.Now(), p.line[:0], 0
	for _, j := range s.order {
		x, g := &s.jobs[j], gang(v, j)
		if x.rents = g.Gang() > x.servers; x.rents {
			continue
		}
		y := planned{job: j, gang: g.Gang(), need: x.left / x.rate / e.Fill, mayRent: x.mayRent, rented: x.where == onSpot || x.where == rentsOnDemand}
		y.due = x.deadline.Sub(v.Now()).Seconds() - e.Slack*y.need
		if x.mayRent {
			y.due -= e.Reserve.Seconds()
		}
		if y.rented {
			y.need += e.restart(g) + v.Pool(x.at).Boot.Mean().Seconds()
		}
		p.line = append(p.line, y)
	}
	p.settle(s.servers)
	for k := range p.line {
		y := &p.line[k]
		x := &s.jobs[y.job]
		x.rents = y.rents
		if x.where == onSpot && !x.rents && x.sure > 0 {
			s.stop(plan, y.job) // there is time again
		}
	}
}

// settle decides who rents, and the order of the line.
func (p *edfPlan) settle(servers int) {
	p.overload(float64(servers))
	p.upTo = len(p.line)
	if short := p.simulate(servers); short > 1 {
		p.reorder(servers, short)
		p.upTo = len(p.line)
		for p.simulate(servers) > 1 && p.work < effort {
			p.upTo = p.last()
			if !p.rent(servers) {
				return
			}
			p.upTo = len(p.line)
		}
	}
}

// overload makes jobs rent as long as those due by some instant ask for more than the servers' time until then. The line is by deadline.
func (p *edfPlan) overload(servers float64) {
	load := 0.0
	for k := range p.line {
		p.upTo = k + 1
		load += p.line[k].size()
		if load <= servers*max(p.line[k].due, 0) {
			continue
		}
		p.candidates()
		for _, i := range p.ask {
			if load <= servers*max(p.line[k].due, 0) {
				break
			}
			p.line[i].rents = true
			load -= p.line[i].size()
		}
	}
}

// candidates lists who may rent, the first to do so first: who does already, then who has least to do.
func (p *edfPlan) candidates() {
	p.ask = p.ask[:0]
	for k := range p.line[:p.upTo] {
		if p.line[k].mayRent && !p.line[k].rents {
			p.ask = append(p.ask, k)
		}
	}
	slices.SortFunc(p.ask, func(a, b int) int {
		x, y := &p.line[a], &p.line[b]
		if x.rented != y.rented {
			if x.rented {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.size(), y.size()), cmp.Compare(a, b))
	})
}

// rent makes the jobs that are looked at rent, one after the other, until the others are done in time. It reports whether they are.
func (p *edfPlan) rent(servers int) bool {
	for short := p.simulate(servers); short > 1; {
		before := short
		p.candidates()
		for _, k := range p.ask {
			if p.work >= effort {
				return false
			}
			y := &p.line[k]
			y.rents = true
			if after := p.simulate(servers); after < short-1 {
				short = after
				break
			}
			y.rents = false
		}
		if short == before {
			return false
		}
	}
	return true
}

// last is how many jobs of the line matter to those that are not done in time: those up to the last of these.
func (p *edfPlan) last() int {
	for k := len(p.line) - 1; k >= 0; k-- {
		if p.line[k].lacks > 0 {
			return k + 1
		}
	}
	return 0
}

// reorder moves jobs in the line, one at a time, as long as servers can do a minute more in time.
func (p *edfPlan) reorder(servers int, short float64) {
	for better := true; better && short > 1; {
		better = false
		for k := range p.line {
			for i := range p.line {
				if p.line[k].rents {
					break
				}
				if p.work >= effort/2 {
					return
				}
				if i == k {
					continue
				}
				p.move(k, i)
				if x := p.simulate(servers); x < short-60 {
					short, better = x, true
					break
				}
				p.move(i, k)
			}
		}
	}
}

// move moves the job at place k of the line to place i.
func (p *edfPlan) move(k, i int) {
	x := p.line[k]
	copy(p.line[k:], p.line[k+1:])
	copy(p.line[i+1:], p.line[i:len(p.line)-1])
	p.line[i] = x
}

// simulate returns the work, in GPU-seconds, that servers cannot do in time of the jobs that do not rent: each has servers in its turn as long as its
// gang fits, and rents from its latest start on.
func (p *edfPlan) simulate(servers int) (short float64) {
	p.todo, p.live = p.todo[:0], p.live[:0]
	for k := range p.line[:p.upTo] {
		y := &p.line[k]
		p.todo = append(p.todo, y.need)
		if y.lacks = 0; !y.rents {
			p.live = append(p.live, k)
		}
	}
	for t := 0.0; len(p.live) > 0; {
		p.work += len(p.live)
		step := p.begin(t, servers)
		t += step
		n, free := 0, servers
		for _, k := range p.live {
			y := &p.line[k]
			if y.gang <= free {
				free -= y.gang
				if p.todo[k] -= step; p.todo[k] <= 1e-6 {
					y.lacks = min(max(t-y.due, 0), y.need)
					continue
				}
			}
			p.live[n] = k
			n++
		}
		p.live = p.live[:n]
	}
	for k := range p.line[:p.upTo] {
		short += p.line[k].lacks * float64(p.line[k].gang)
	}
	return short
}

// begin gives servers to the jobs at an instant, and takes out those that get none and have no time left. It returns how long nothing changes,
// at least a second.
func (p *edfPlan) begin(t float64, servers int) (step float64) {
	n, free := 0, servers
	step = math.Inf(1)
	for _, k := range p.live {
		y := &p.line[k]
		if y.gang <= free {
			free -= y.gang
			step = min(step, p.todo[k])
		} else if spare := y.due - t - p.todo[k]; spare <= 0 {
			y.lacks = p.todo[k]
			continue
		} else {
			step = min(step, spare)
		}
		p.live[n] = k
		n++
	}
	p.live = p.live[:n]
	return max(step, 1)
}
