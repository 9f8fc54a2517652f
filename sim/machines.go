package sim

import "time"

// failing is the machines of a group of pools that fail together (Failures): what comes next of them. The work that it
// makes follows the failures, not the machines, where their times are exponential: the first of n machines fails at n
// times the rate, and any of them.
type failing struct {
	of       *Failures
	first    int32 // the first pool of the group
	machines int32
	at       int32  // its machines in fleet.machines
	draws    Stream // of times between failures, and of which machine it is
	bads     Stream // of bad machines: the same, and where they are
	repairs  Stream
	good     Time   // the next failure of any machine at the rate of all
	bad      Time   // the next one that bad machines have in addition
	nGood    uint64 // failures drawn so far
	nBad     uint64
	nRepairs uint64
	outage   int // the next of the recorded
	events   machineEvents
}

// machine is what is known of a machine beside its place in fleet.nodes.
type machine uint8

const (
	machineDown    machine = 1 << iota // failed, and not back
	machineRetired                     // it does not come back
	machineMended                      // a repair worked: it is no bad machine any more
)

// OutageCause says why a machine is down.
type OutageCause uint8

const (
	OutageFailed       OutageCause = iota // it failed
	OutageMisdiagnosed                    // another failed, and it was repaired for that
	OutageRecorded                        // it was down then (Failures.Outages)
)

// machineEvent is the end of a repair or, of a machine that is up, its failure.
type machineEvent struct {
	at      Time
	machine int32
	works   bool
	fails   bool
	from    Time // of a repair: when the machine went down

	what  uint8 // of slow machines: what happens
	round uint32
	id    uint64
}

// machineEvents is a binary heap of them, by instant and machine.
type machineEvents []machineEvent

func (h machineEvents) before(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].machine < h[j].machine
}

func (h *machineEvents) push(event machineEvent) {
	*h = append(*h, event)
	heap := *h
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !heap.before(i, up) {
			break
		}
		heap[i], heap[up] = heap[up], heap[i]
		i = up
	}
}

func (h *machineEvents) pop() machineEvent {
	heap := *h
	first := heap[0]
	last := len(heap) - 1
	heap[0] = heap[last]
	heap = heap[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			break
		}
		if down+1 < last && heap.before(down+1, down) {
			down++
		}
		if !heap.before(down, i) {
			break
		}
		heap[i], heap[down] = heap[down], heap[i]
		i = down
	}
	*h = heap
	return first
}

// failures is the part of a fleet whose machines fail.
type failures struct {
	failing  []failing
	machines []machine // by group and machine
	failedAt []Time    // the last failures of each machine that may be retired: Failures.Retire of each, a ring
	failed   []int32   // by machine: how many there were
	seenAt   []Time    // by job: until then a failure of it is not seen
	groupOf  []int32   // by pool, -1: its machines do not fail; empty without failures
	spares   int32     // held
	down     int32     // machines
	since    Time      // the times of both are complete until here
}

// nextGood draws the next failure of any machine after an instant.
func (g *failing) nextGood(now Time) Time {
	g.nGood++
	return now.After(g.draws.Exponential(2*g.nGood) * 3600 / (g.of.PerHour * float64(g.machines)))
}

// nextBad draws the next of those that bad machines have in addition.
func (g *failing) nextBad(now Time) Time {
	rate := g.of.PerHour * g.of.BadTimes * float64(g.bads0())
	if rate == 0 {
		return Never
	}
	g.nBad++
	return now.After(g.bads.Exponential(2*g.nBad) * 3600 / rate)
}

// nextRepair returns the first number of the draws of the next failure: what is diagnosed, and its repair.
func (g *failing) nextRepair() uint64 {
	g.nRepairs++
	return g.nRepairs * (3*MaxRepairs + 4)
}

// repair draws, from a number of nextRepair on, how long a machine is down, and whether it is no bad machine any more
// then.
func (g *failing) repair(draw uint64) (span time.Duration, works bool) {
	span = g.of.Detect
	for k, stage := range g.of.Repairs {
		n := draw + 4 + 3*uint64(k)
		if stage.Mean > 0 {
			span += time.Duration(float64(stage.Mean) * g.repairs.Exponential(n))
		} else {
			span += stage.draw(g.repairs, int(n))
		}
		if k == len(g.of.Repairs)-1 || g.repairs.Uniform(n+1) < stage.Ends {
			works = g.repairs.Uniform(n+2) < stage.Works
			break
		}
	}
	return span, works
}

// bads0 is how many machines are bad at first.
func (g *failing) bads0() int32 { return int32(g.of.BadShare * float64(g.machines)) }

// badMachine is the k-th machine that is bad at first: one of each of as many stretches of them as there are.
func (g *failing) badMachine(k int32) int32 {
	n := g.bads0()
	return min(int32((float64(k)+g.bads.Uniform(1<<40+uint64(k)))*float64(g.machines)/float64(n)), g.machines-1)
}

// due is the instant of what comes next of a group.
func (g *failing) due() Time {
	at := min(g.good, g.bad)
	if g.outage < len(g.of.Outages) {
		at = min(at, g.of.Outages[g.outage].From)
	}
	if len(g.events) > 0 {
		at = min(at, g.events[0].at)
	}
	return at
}

// undetected is how long it still takes until a failure of job j is seen.
func (x *failures) undetected(j int, now Time) time.Duration {
	if j >= len(x.seenAt) {
		return 0
	}
	return max(x.seenAt[j].Sub(now), 0)
}

// copyFrom makes x equal to src, reusing x's memory.
func (x *failures) copyFrom(src *failures) {
	old := *x
	*x = *src
	x.machines = append(old.machines[:0], src.machines...)
	x.failedAt = append(old.failedAt[:0], src.failedAt...)
	x.failed = append(old.failed[:0], src.failed...)
	x.seenAt = append(old.seenAt[:0], src.seenAt...)
	x.groupOf = append(old.groupOf[:0], src.groupOf...)
	x.failing = extend(old.failing, len(src.failing))
	for k := range src.failing {
		events := x.failing[k].events[:0]
		x.failing[k] = src.failing[k]
		x.failing[k].events = append(events, src.failing[k].events...)
	}
}
