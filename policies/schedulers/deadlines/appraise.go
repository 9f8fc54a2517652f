package deadlines

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// appraise works out what is left of every job, its slack, and whether it can wait for servers.
func (d *Spot) appraise(v sim.View, plan *sim.Plan, s *state) {
	s.order = append(s.order[:0], v.ActiveJobs()...)
	for _, j := range s.order {
		x := &s.jobs[j]
		g := gang(v, j)
		x.left = v.Job(j).WorkLeft()
		x.slack = d.slack(v, s, j, g)
	}
	slices.SortFunc(s.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.jobs[a].deadline, s.jobs[b].deadline), cmp.Compare(v.Job(a).ID(), v.Job(b).ID()))
	})
	d.project(v, s)
}

// slack is the time until the last instant at which a job can go on demand and end in time, seconds.
func (d *Spot) slack(v sim.View, s *state, j int, g sim.GangModel) float64 {
	x := &s.jobs[j]
	need := d.restart(g) + d.Reserve.Seconds()
	if p := s.rentable(j); p >= 0 {
		need += x.left/s.speed(j)[p] + v.Pool(p).Boot.Mean().Seconds()
	} else {
		need += x.left / slices.Max(s.speed(j))
	}
	if x.where == onSpot {
		need += d.risk(v, j, g, x.at)
	}
	return x.deadline.Sub(v.Now()).Seconds() - need
}

// rentable returns the pool on demand in which a job's work costs least, -1 for none.
func (s *state) rentable(j int) int {
	speed := s.speed(j)
	best, smallest := -1, math.Inf(1)
	for p := range s.pools {
		if s.pools[p].kind == onDemand && speed[p] > 0 {
			if usd := s.pools[p].price / speed[p]; usd < smallest {
				best, smallest = p, usd
			}
		}
	}
	return best
}

// restart is how long a job takes to go on on other GPUs, seconds.
func (d *Spot) restart(g sim.GangModel) float64 {
	d.change.From, d.change.To = &d.layout, &d.layout
	return g.Change(&d.change).Stall.Seconds()
}

// risk is the work of a job, in seconds, that the loss of its GPUs in a pool may take back: what it does
// between two saves, or nothing where the notice is long enough to save.
func (d *Spot) risk(v sim.View, j int, g sim.GangModel, p int) float64 {
	if x := v.Pool(p); x.NoticeMissing == 0 && x.Notice > lead {
		return 0
	}
	if r := d.rate(g, p); r.Progress > 0 {
		return r.Step / r.Progress
	}
	return 0
}

// rate is how fast a job trains on GPUs of a pool.
func (d *Spot) rate(g sim.GangModel, p int) sim.Rate {
	d.layout.Workers, d.layout.Pools = append(d.layout.Workers[:0], int32(g.Gang())), append(d.layout.Pools[:0], int32(p))
	return g.Rate(&d.layout)
}

// project decides which jobs can wait for servers: the servers do the work of the jobs that have them, and of those
// that wait, the earliest deadline first.
func (d *Spot) project(v sim.View, s *state) {
	ahead := 0.0 // GPU-seconds
	for _, j := range s.order {
		x := &s.jobs[j]
		n := float64(gang(v, j).Gang())
		if x.rents = int(n) > x.servers || d.Kind == AtOnce; x.rents {
			continue
		}
		run := x.left / x.rate
		if x.where == onServers {
			ahead += run * n
			continue
		}
		wait := ahead / (d.Fill * float64(s.servers))
		x.rents = wait > 0 && x.slack-wait < d.Slack*run
		if !x.rents && x.where == waits {
			ahead += run * n
		}
	}
}
