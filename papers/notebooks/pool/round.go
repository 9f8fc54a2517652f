package pool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/sim"
)

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
