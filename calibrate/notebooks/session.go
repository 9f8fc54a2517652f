package notebooks

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Session is one notebook that is open for a while. Its cells run one at a time.
type Session struct {
	Number      int // cells of one instant queue by it
	Start, Stop int // s
	GPUs        int // reserved, where sessions reserve
	Cells       []Cell
}

// Cell is one piece of work.
type Cell struct {
	Start    int // s; when its user starts it, if nothing before was late
	Duration int // s
	GPUs     int // 0 needs none and is not in the queue
}

// Bounds are GPU-hours.
type Bounds struct {
	Reserved float64 // every session holds its GPUs from start to stop
	Active   float64 // cells alone: nobody can provide less
}

// BoundsOf returns the bounds of sessions.
func BoundsOf(sessions []Session) Bounds {
	reserved, active := 0, 0
	for i := range sessions {
		s := &sessions[i]
		reserved += s.GPUs * (s.Stop - s.Start)
		for _, c := range s.Cells {
			active += c.GPUs * c.Duration
		}
	}
	return Bounds{float64(reserved) / 3600, float64(active) / 3600}
}

// Window returns the sessions as far as they are within [from, until), seconds: those
// that overlap it, cut, and the cells that begin in it, cut at its end.
func Window(sessions []Session, from, until int) []Session {
	var out []Session
	for _, s := range sessions {
		cut := s
		cut.Start, cut.Stop, cut.Cells = max(s.Start, from), min(s.Stop, until), nil
		if cut.Start >= cut.Stop {
			continue
		}
		for _, c := range s.Cells {
			if end := min(c.Start+c.Duration, until); c.Start >= from && c.Start < end {
				c.Duration = end - c.Start
				cut.Cells = append(cut.Cells, c)
			}
		}
		out = append(out, cut)
	}
	return out
}

// maxTime bounds instants and durations, s: some 30 years.
const maxTime = 1_000_000_000

// check says what is wrong with sessions on hosts of n GPUs.
func check(sessions []Session, gpus int) error {
	if len(sessions) == 0 {
		return fmt.Errorf("no sessions")
	}
	for _, s := range sessions {
		if s.Start < 0 || s.Stop < s.Start || s.Stop > maxTime || s.GPUs < 0 || s.GPUs > gpus {
			return fmt.Errorf("session %d: from %d to %d s with %d GPUs, "+
				"expected 0 <= start <= stop <= %d and 0 to %d GPUs", s.Number, s.Start, s.Stop, s.GPUs, maxTime, gpus)
		}
		for _, c := range s.Cells {
			inTime := min(c.Start, c.Duration) >= 0 && max(c.Start, c.Duration) <= maxTime
			if !inTime || c.GPUs < 0 || c.GPUs > gpus {
				return fmt.Errorf("session %d: a cell at %d s of %d s with %d GPUs, "+
					"expected 0 to %d s and 0 to %d GPUs", s.Number, c.Start, c.Duration, c.GPUs, maxTime, gpus)
			}
		}
		if !slices.IsSortedFunc(s.Cells, func(a, b Cell) int { return a.Start - b.Start }) {
			return fmt.Errorf("session %d: its cells go back in time", s.Number)
		}
	}
	return nil
}

// Platform is a sim.Model of a service that runs the cells of sessions on hosts. What it does
// at an instant is up to the policy, which knows the rules: JobPlan.Pipelines is the number of
// GPUs that cells use, JobPlan.Stages 0, and JobPlan.Done ends the service. Its progress is
// GPU-seconds of cells, those that were lost among them; it never reaches a goal.
type Platform struct {
	Sessions []Session
	GPUs     int // of a host
}

// NewPlatform returns the model. An error says what is wrong with a session.
func NewPlatform(sessions []Session, gpus int) (*Platform, error) {
	const largest = 1024
	if gpus < 1 || gpus > largest {
		return nil, fmt.Errorf("hosts of %d GPUs, expected 1 to %d", gpus, largest)
	}
	if err := check(sessions, gpus); err != nil {
		return nil, err
	}
	return &Platform{Sessions: sessions, GPUs: gpus}, nil
}

// Rate implements sim.Model: as many GPU-seconds a second as GPUs are in use, on as many
// hosts as they fill.
func (p *Platform) Rate(l *sim.Layout) sim.Rate {
	busy, hosts := int(l.Pipelines), l.Total()
	if busy == 0 || hosts == 0 {
		return sim.Rate{}
	}
	x := float64(busy)
	return sim.Rate{Progress: x, Working: int32(min(hosts, (busy+p.GPUs-1)/p.GPUs))}
}

// Begin implements sim.Model.
func (*Platform) Begin(*sim.Layout) float64 { return 0 }

// Goal implements sim.Model.
func (*Platform) Goal(float64) float64 { return math.MaxFloat64 }

// Loss implements sim.Model: GPU-seconds of cells that are left, if none was lost.
func (p *Platform) Loss(progress float64) float64 {
	return max(3600*BoundsOf(p.Sessions).Active-progress, 0)
}

// Change implements sim.Model: what a lost host loses is the policy's to do again.
func (*Platform) Change(*sim.Change) sim.Pause { return sim.Pause{} }

// SaveTime implements sim.Model.
func (*Platform) SaveTime(*sim.Layout) (stall, persist time.Duration) { return 0, 0 }

// Result is what became of the cells of a run.
type Result struct {
	Bounds
	HostGPUs  int       // of a host
	Cells     int       // with GPUs, that began for the last time
	DelaysS   []float64 // of them from due to start, s, in the order in which they began
	PeakHosts int       // paid at one time, without those that stop
	EndS      float64   // when all sessions were over and all cells had run; not a number before
	Lost      int       // cells whose host was taken away, and that ran again
	LostGPUH  float64   // what those had done
	Migrated  int       // cells that ran where no replica of their kernel was
}

// Reporter is what a policy for a Platform remembers of a run (sim.World.State).
type Reporter interface{ Notebooks() Result }

// Delay returns a percentile of the delays, s: the smallest that so large a share does not
// exceed. share is above 0 and at most 1. 0 without cells.
func (r *Result) Delay(share float64) float64 {
	if len(r.DelaysS) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(r.DelaysS))
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}

// MeanDelay returns the mean of the delays, s; 0 without cells.
func (r *Result) MeanDelay() float64 {
	sum := 0.0
	for _, d := range r.DelaysS {
		sum += d
	}
	return sum / float64(max(len(r.DelaysS), 1))
}
