package pool

import (
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/sim"
)

// state is what the policy remembers of a run.
type state struct {
	begun, closed bool
	from, last    sim.Time // when sessions begin to count; the last stop of any
	scaledAt      sim.Time
	wanted        int      // hosts, by the last decision of the autoscaler
	returned      sim.Time // when spot was last asked for in place of hosts on demand
	platform      *notebooks.Platform
	sessions      []notebooks.Session // shared, read only; ascending by number

	hosts  []host // ascending by number
	number int    // of the next host
	first  int    // hosts of the beginning that were not seen yet
	turns  []turn // of each session
	queue  []int  // sessions whose cell waits
	busy   []busy // cells that run

	delays   []float64 // s, of cells in the order in which they began first
	peak     int
	endAt    sim.Time
	lost     int
	lostGPUS float64 // GPU-seconds
	migrated int
}

// host is an instance that starts, serves or stops.
type host struct {
	number        int
	pool, ordinal int
	ready         bool
	noticed       bool
	initial       bool
	serves        sim.Time // from when on it takes cells; Never while it boots
	stops         sim.Time // when it is given back; Never while it is not
	idle          int      // GPUs
	seen          bool     // scratch of sync
}

// takes reports whether a cell may begin on the host now.
func (h *host) takes(now sim.Time) bool { return h.serves <= now && h.stops == sim.Never && !h.noticed }

// turn is where a session is.
type turn struct {
	cell     int           // next
	due      sim.Time      // when it is to start; Never: it runs, waits, or there is none
	since    sim.Time      // when the waiting or running cell became due
	late     time.Duration // by which its cells begin later than their users meant
	delay    int           // of the waiting cell in delays, if it ran before and was lost; -1: it did not
	kernel   bool          // it has begun: its state is somewhere
	replicas []int         // numbers of the hosts of its kernel's replicas
}

// busy is a cell that runs.
type busy struct {
	began, end    sim.Time
	session, host int // host by number
	gpus          int
	cold          time.Duration
	delay         int // in delays
}

func (s *state) clone() *state {
	c := *s
	c.hosts, c.turns, c.queue = slices.Clone(s.hosts), slices.Clone(s.turns), slices.Clone(s.queue)
	c.busy, c.delays = slices.Clone(s.busy), slices.Clone(s.delays)
	for i := range c.turns {
		c.turns[i].replicas = slices.Clone(s.turns[i].replicas)
	}
	return &c
}

// at is an instant of the sessions, in seconds, in the time of the traces.
func (s *state) at(seconds int) sim.Time { return s.from.Add(time.Duration(seconds) * time.Second) }

// gpusBusy are those of cells that run.
func (s *state) gpusBusy() (n int) {
	for _, b := range s.busy {
		n += b.gpus
	}
	return n
}

// cellOf is the cell that a session is at.
func (s *state) cellOf(i int) *notebooks.Cell { return &s.sessions[i].Cells[s.turns[i].cell] }

// host returns the host of a number.
func (s *state) host(number int) *host {
	at, _ := slices.BinarySearchFunc(s.hosts, number, func(h host, n int) int { return h.number - n })
	return &s.hosts[at]
}

// upcoming is when the next cell is due.
func (s *state) upcoming() sim.Time {
	at := sim.Never
	for i := range s.turns {
		at = min(at, s.turns[i].due)
	}
	return at
}

// Notebooks implements notebooks.Reporter.
func (s *state) Notebooks() notebooks.Result {
	out := notebooks.Result{Cells: len(s.delays), DelaysS: s.delays, PeakHosts: s.peak, EndS: math.NaN(), Lost: s.lost, LostGPUH: s.lostGPUS / 3600,
		Migrated: s.migrated}
	if s.platform != nil {
		out.Bounds, out.HostGPUs = notebooks.BoundsOf(s.platform.Sessions), s.platform.GPUs
	}
	if s.endAt != sim.Never && s.begun {
		out.EndS = s.endAt.Sub(s.from).Seconds()
	}
	return out
}
