package pool

import (
	"slices"

	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/sim"
)

// Decide implements sim.Policy.
func (p *Pool) Decide(v sim.View, plan *sim.Plan) {
	jobs := v.ActiveJobs()
	if len(jobs) == 0 {
		return
	}
	platform, is := v.Job(jobs[0]).Model().(*notebooks.Platform)
	if !is {
		return
	}
	r := round{Pool: p, state: v.State().(*state), v: v, plan: plan, j: jobs[0], now: v.Now()}
	if !r.begun {
		r.begin(platform)
		return
	}
	r.sync()
	if r.closed {
		r.close()
		return
	}
	r.end()
	r.join()
	if at := r.now.Sub(r.from); at%p.Every == 0 && r.scaledAt != r.now {
		r.scaledAt = r.now
		r.scale()
	}
	r.fallBack()
	r.comeBack()
	r.start()
	r.stop()
	r.peak = max(r.peak, r.hostsNow())
	if !r.again && r.over() {
		r.endAt = r.now
		r.closed = true
		r.close()
		return
	}
	plan.Jobs[r.j].Pipelines = r.gpusBusy()
	r.explain()
	r.wake()
}

// begin holds the first hosts.
func (r *round) begin(platform *notebooks.Platform) {
	r.begun, r.from, r.scaledAt, r.endAt, r.returned, r.platform = true, r.now, sim.Never, sim.Never, r.now, platform
	r.wanted = min(r.MinHosts+r.Buffer, r.MaxHosts)
	r.sessions = slices.Clone(platform.Sessions)
	if r.reserve {
		for i := range r.sessions {
			s := &r.sessions[i]
			s.Cells = []notebooks.Cell{{Start: s.Start, Duration: s.Stop - s.Start, GPUs: s.GPUs}}
		}
	}
	slices.SortStableFunc(r.sessions, func(a, b notebooks.Session) int { return a.Number - b.Number })
	r.turns = make([]turn, len(r.sessions))
	for i := range r.sessions {
		r.last = max(r.last, r.at(r.sessions[i].Stop))
		r.schedule(i)
	}
	r.first = r.request(r.wanted)
	r.plan.SetReason("the first hosts")
	r.askAgain()
}

// close gives everything back: those hosts later that are stopping already. Then the job is
// done.
func (r *round) close() {
	p := &r.plan.Jobs[r.j]
	p.Pipelines = 0
	next := sim.Never
	for i := 0; i < len(r.hosts); {
		if h := &r.hosts[i]; h.stops > r.now && h.stops != sim.Never {
			next = min(next, h.stops)
			i++
			continue
		}
		r.giveBack(i)
	}
	if next == sim.Never {
		p.Done = true
		r.plan.SetReason("all sessions are over, and all cells have run")
		return
	}
	r.plan.WakeIn(next.Sub(r.now))
}
