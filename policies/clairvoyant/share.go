package clairvoyant

import "github.com/marigram/marigram/sim"

// share shares the time between schedules that are late and those that are not.
func (s *search) share(tried []attempt) error {
	for i := range tried {
		for k := i + 1; k < min(i+4, len(tried)); k++ {
			a, b := tried[i], tried[k]
			if a.met == b.met {
				continue
			}
			for _, pair := range [2][2]attempt{{a, b}, {b, a}} {
				if err := s.switched(pair[0].schedule, pair[1].schedule, pair[0].met); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// switched looks for the instant at which to go from one schedule to another, of which one
// is met: the latest if that is the second.
func (s *search) switched(a, b schedule, first bool) error {
	from := s.config.Start.Add(s.config.Jobs[0].Submit)
	to := from.Add(s.config.Jobs[0].Objective.Within)
	for range 9 {
		middle := from + (to-from)/2
		met, err := s.judge(join(a, b, middle))
		if err != nil {
			return err
		}
		if met == first {
			to = middle
		} else {
			from = middle
		}
	}
	return nil
}

// join follows one schedule until an instant, and then another.
func join(a, b schedule, at sim.Time) (out schedule) {
	for _, x := range a {
		if x.at < at {
			out = append(out, x)
		}
	}
	for i, x := range b {
		switch {
		case x.at >= at:
			out = append(out, x)
		case i+1 == len(b) || b[i+1].at > at:
			out = append(out, step{at, x.workers, x.servers})
		}
	}
	return out
}
