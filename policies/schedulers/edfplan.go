package schedulers

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// edfPlan is the plan ahead of EDF: in which order jobs get servers, and which of them rent because servers cannot do
// all in time.
type edfPlan struct {
	made       sim.Time  // when, 0: never
	line       []planned // jobs that servers can do, in their order
	candidates []int     // places in the line: who rents first
	todo       []float64 // of simulate: what is left, by place
	live       []int     // of simulate: who is not done
	upTo       int       // number of jobs of the line that simulate looks at
	simulated  int       // steps of jobs, at most effort
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

// planAhead makes the plan: the line, and which jobs rent, as many that the others can be done on servers in time. It
// is kept while no job comes, goes or is refused spot, at most for pollEvery.
func (e *EDF) planAhead(v sim.View, plan *sim.Plan, s *deadlineState) {
	p := &s.plan
	p.made = v.Now()
	p.simulated = 0
	p.line = p.line[:0]
	for _, j := range s.order {
		job := &s.jobs[j]
		job.rents = gang(v, j).Gang() > job.servers
		if !job.rents {
			p.line = append(p.line, e.inLine(v, s, j))
		}
	}
	p.settle(s.servers)
	for k := range p.line {
		planned := &p.line[k]
		job := &s.jobs[planned.job]
		job.rents = planned.rents
		if job.where == onSpot && !job.rents && job.sure > 0 {
			s.stop(plan, planned.job) // there is time again
		}
	}
}

// inLine is job j in the line.
func (e *EDF) inLine(v sim.View, s *deadlineState, j int) planned {
	job := &s.jobs[j]
	model := gang(v, j)
	out := planned{
		job:     j,
		gang:    model.Gang(),
		need:    job.left / job.rate / e.Fill,
		mayRent: job.mayRent,
		rented:  job.where == onSpot || job.where == rentsOnDemand,
	}
	out.due = job.deadline.Sub(v.Now()).Seconds() - e.Slack*out.need
	if job.mayRent {
		out.due -= e.Reserve.Seconds()
	}
	if out.rented {
		out.need += e.restart(model) + v.Pool(job.at).Boot.Mean().Seconds()
	}
	return out
}

// settle decides who rents, and the order of the line.
func (p *edfPlan) settle(servers int) {
	p.rentOverload(float64(servers))
	p.upTo = len(p.line)
	short := p.simulate(servers)
	if short <= 1 {
		return
	}
	p.reorder(servers, short)
	p.upTo = len(p.line)
	for p.simulate(servers) > 1 && p.simulated < effort {
		p.upTo = p.countUpToLate()
		if !p.rentUntilInTime(servers) {
			return
		}
		p.upTo = len(p.line)
	}
}

// rentOverload makes jobs rent as long as those due by some instant ask for more than the servers' time until then. The
// line is by deadline.
func (p *edfPlan) rentOverload(servers float64) {
	load := 0.0
	for k := range p.line {
		p.upTo = k + 1
		load += p.line[k].size()
		capacity := servers * max(p.line[k].due, 0)
		if load <= capacity {
			continue
		}
		p.listCandidates()
		for _, i := range p.candidates {
			if load <= capacity {
				break
			}
			p.line[i].rents = true
			load -= p.line[i].size()
		}
	}
}

// listCandidates lists who may rent, the first to do so first: who does already, then who has least to do.
func (p *edfPlan) listCandidates() {
	p.candidates = p.candidates[:0]
	for k := range p.line[:p.upTo] {
		if p.line[k].mayRent && !p.line[k].rents {
			p.candidates = append(p.candidates, k)
		}
	}
	slices.SortFunc(p.candidates, func(a, b int) int {
		x := &p.line[a]
		y := &p.line[b]
		if x.rented != y.rented {
			if x.rented {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.size(), y.size()), cmp.Compare(a, b))
	})
}

// rentUntilInTime makes the jobs that are looked at rent, one after the other, until the others are done in time. It
// reports whether they are.
func (p *edfPlan) rentUntilInTime(servers int) bool {
	for short := p.simulate(servers); short > 1; {
		before := short
		p.listCandidates()
		for _, k := range p.candidates {
			if p.simulated >= effort {
				return false
			}
			p.line[k].rents = true
			after := p.simulate(servers)
			if after < short-1 {
				short = after
				break
			}
			p.line[k].rents = false
		}
		if short == before {
			return false
		}
	}
	return true
}

// countUpToLate returns how many jobs of the line matter to those that are not done in time: those up to the last of
// these.
func (p *edfPlan) countUpToLate() int {
	for k := len(p.line) - 1; k >= 0; k-- {
		if p.line[k].lacks > 0 {
			return k + 1
		}
	}
	return 0
}

// reorder moves jobs in the line, one at a time, as long as servers can do a minute more in time.
func (p *edfPlan) reorder(servers int, short float64) {
	for improved := true; improved && short > 1; {
		improved = false
		for k := range p.line {
			for i := range p.line {
				if p.line[k].rents {
					break
				}
				if p.simulated >= effort/2 {
					return
				}
				if i == k {
					continue
				}
				p.move(k, i)
				after := p.simulate(servers)
				if after < short-60 {
					short = after
					improved = true
					break
				}
				p.move(i, k)
			}
		}
	}
}

// move moves the job at one place of the line to another.
func (p *edfPlan) move(from, to int) {
	moved := p.line[from]
	copy(p.line[from:], p.line[from+1:])
	copy(p.line[to+1:], p.line[to:len(p.line)-1])
	p.line[to] = moved
}

// simulate returns the work, in GPU-seconds, that servers cannot do in time of the jobs that do not rent: each has
// servers in its turn as long as its gang fits, and rents from its latest start on.
func (p *edfPlan) simulate(servers int) float64 {
	p.todo = p.todo[:0]
	p.live = p.live[:0]
	for k := range p.line[:p.upTo] {
		job := &p.line[k]
		job.lacks = 0
		p.todo = append(p.todo, job.need)
		if !job.rents {
			p.live = append(p.live, k)
		}
	}
	now := 0.0
	for len(p.live) > 0 {
		p.simulated += len(p.live)
		step := p.giveServers(now, servers)
		now += step
		p.train(now, step, servers)
	}
	short := 0.0
	for k := range p.line[:p.upTo] {
		short += p.line[k].lacks * float64(p.line[k].gang)
	}
	return short
}

// giveServers gives servers to the jobs at an instant, and takes out those that get none and have no time left. It
// returns how long nothing changes, at least a second.
func (p *edfPlan) giveServers(now float64, servers int) (step float64) {
	step = math.Inf(1)
	live := p.live[:0]
	for _, k := range p.live {
		job := &p.line[k]
		if job.gang <= servers {
			servers -= job.gang
			step = min(step, p.todo[k])
		} else {
			spare := job.due - now - p.todo[k]
			if spare <= 0 {
				job.lacks = p.todo[k]
				continue
			}
			step = min(step, spare)
		}
		live = append(live, k)
	}
	p.live = live
	return max(step, 1)
}

// train takes off what was done in a step up to an instant by the jobs that had servers, and takes out those that are
// done.
func (p *edfPlan) train(now, step float64, servers int) {
	live := p.live[:0]
	for _, k := range p.live {
		job := &p.line[k]
		if job.gang <= servers {
			servers -= job.gang
			p.todo[k] -= step
			if p.todo[k] <= 1e-6 {
				job.lacks = min(max(now-job.due, 0), job.need)
				continue
			}
		}
		live = append(live, k)
	}
	p.live = live
}
