package notebooks

import (
	"fmt"
	"slices"
	"strings"

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

// round is one decision.
type round struct {
	*Pool
	*state
	v    sim.View
	plan *sim.Plan
	j    int
	now  sim.Time

	again bool // the policy is asked again at this instant
}

func (r *round) askAgain() {
	r.again = true
	r.plan.AskAgain()
}

// over reports whether all sessions are over and all cells have run.
func (r *round) over() bool {
	return r.now >= r.last && len(r.queue) == 0 && len(r.busy) == 0 && r.upcoming() == sim.Never && r.now > r.from
}

// maxIdle returns the host with most idle GPUs that has n, of those with the numbers; of
// all if there are none. -1 if there is none.
func (r *round) maxIdle(gpus int, of []int) int {
	best := -1
	for k := range r.hosts {
		if h := &r.hosts[k]; h.takes(r.now) && h.idle >= gpus && (best < 0 || h.idle > r.hosts[best].idle) && (of == nil || slices.Contains(of, h.number)) {
			best = k
		}
	}
	return best
}

// explain tells a recorder where cells run, which ones begin now, and which wait for what.
func (r *round) explain() {
	if !r.plan.Recorded() {
		return
	}
	idle, booting := 0, 0
	for i := range r.hosts {
		switch h := &r.hosts[i]; {
		case h.takes(r.now):
			idle += h.idle
		case h.serves > r.now && h.stops == sim.Never:
			booting++
		}
	}
	r.plan.AddInput("cells that run", float64(len(r.busy)), "")
	r.plan.AddInput("cells that wait", float64(len(r.queue)), "")
	r.plan.AddInput("GPUs in use", float64(r.gpusBusy()), "")
	r.plan.AddInput("GPUs idle", float64(idle), "")
	r.plan.AddInput("hosts that start", float64(booting+r.v.Job(r.j).Waiting()), "")
	for i := range r.hosts {
		r.explainHost(&r.hosts[i])
	}
	for _, i := range r.queue {
		r.plan.AddCandidate(sim.Candidate{Name: r.cellName(i), Score: r.now.Sub(r.turns[i].since).Seconds(), Unit: "s waited",
			Note: fmt.Sprintf("waits: no host that serves has %d idle GPUs", r.cellOf(i).GPUs)})
	}
}

// explainHost says what runs on a host, and marks it where a cell begins now.
func (r *round) explainHost(h *host) {
	var cells []string
	begins := false
	for _, b := range r.busy {
		if b.host != h.number {
			continue
		}
		text := fmt.Sprintf("%s (%d)", r.cellName(b.session), b.gpus)
		if b.began == r.now {
			begins = true
			text += " begins"
			if b.cold > 0 {
				text += fmt.Sprintf(" in %.0f s", b.cold.Seconds())
			}
		}
		cells = append(cells, text)
	}
	note := strings.Join(cells, ", ")
	switch {
	case h.noticed:
		note = "goes, and takes with it: " + note
	case h.stops != sim.Never:
		note = "is given back"
	case h.serves > r.now:
		note = "starts"
	}
	r.plan.AddCandidate(sim.Candidate{Name: fmt.Sprintf("host %d in %s", h.number+1, r.v.Pool(h.pool).Name), Score: float64(h.idle), Unit: "idle GPUs",
		Note: note, Chosen: begins})
}

// cellName names the cell that a session is at, counted from 1.
func (r *round) cellName(i int) string {
	return fmt.Sprintf("session %d cell %d", r.sessions[i].Number, r.turns[i].cell+1)
}
