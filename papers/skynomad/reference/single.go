package reference

import (
	"fmt"

	"github.com/marigram/marigram/policies/skynomad"
)

// runSingle is Uniform Progress in one zone, which has a loop of its own in the public
// code: the last tick is paid, moves are none, and prices are those after a tick.
func runSingle(job Job, zone *Zone) (Result, error) {
	r := Result{SafetyNet: -1}
	w := newWorld(job, []*Zone{zone}, nil, nil)
	s, last := &w.state, none
	for i := 0; ; i++ {
		s.Now = float64(i) * job.TickS
		r.pay(w, last, i)
		if last != none {
			s.Done += min(max(job.TickS-s.OverheadS, 0), job.Left(s))
			if s.OverheadS -= job.TickS; s.OverheadS < 1e-3 {
				s.OverheadS = 0
			}
		}
		up, held := w.available(0, i), last
		if last == spot && !up {
			held = none
		}
		if job.Left(s) <= finished {
			r.RecordedUSD, r.FinishS = r.FullUSD, s.Now
			return r, nil
		}
		if s.Now >= job.DeadlineS {
			return r, fmt.Errorf("%v s of work are left at the deadline", job.Left(s))
		}
		want := job.ProgressInOne(s, held, last, up)
		if want != held && want != none {
			s.OverheadS = job.RestartS
			r.Launches++
		}
		last = want
	}
}

// pay adds a tick of a kind at the prices of tick i.
func (r *Result) pay(w *world, kind skynomad.Kind, i int) {
	hours := w.TickS / 3600
	switch kind {
	case spot:
		r.SpotS += w.TickS
		r.FullUSD += hours * w.spotUSD(0, i)
	case onDemand:
		r.OnDemandS += w.TickS
		r.FullUSD += hours * w.zones[0].OnDemandUSD
	}
}
