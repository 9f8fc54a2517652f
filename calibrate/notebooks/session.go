package notebooks

import (
	"fmt"
	"slices"
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
			return fmt.Errorf("session %d: from %d to %d s with %d GPUs, expected 0 <= start <= stop <= %d and 0 to %d GPUs", s.Number,
				s.Start, s.Stop, s.GPUs, maxTime, gpus)
		}
		for _, c := range s.Cells {
			if c.Start < 0 || c.Start > maxTime || c.Duration < 0 || c.Duration > maxTime || c.GPUs < 0 || c.GPUs > gpus {
				return fmt.Errorf("session %d: a cell at %d s of %d s with %d GPUs, expected 0 to %d s and 0 to %d GPUs", s.Number, c.Start,
					c.Duration, c.GPUs, maxTime, gpus)
			}
		}
		if !slices.IsSortedFunc(s.Cells, func(a, b Cell) int { return a.Start - b.Start }) {
			return fmt.Errorf("session %d: its cells go back in time", s.Number)
		}
	}
	return nil
}
