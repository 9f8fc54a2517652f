package simtest

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

// quotas checks that no more is held, or wanted, than quotas and capacity allow.
func (x *trial) quotas() error {
	for i := range x.recorded.spans {
		s := &x.recorded.spans[i]
		for p, n := range s.Pools {
			held := n.Starting + n.Ready + n.Noticed
			if quota := x.market.Pool(p).Quota; held > quota {
				return fmt.Errorf("%v: pool %d holds %d, quota %d", s.From.Sub(0), p, held, quota)
			}
			if n.Capacity >= 0 && held > n.Capacity {
				return fmt.Errorf("%v: pool %d holds %d, capacity %d", s.From.Sub(0), p, held, n.Capacity)
			}
		}
	}
	for _, d := range x.recorded.decisions {
		for p := range x.market.Pools() {
			want := 0
			for j := range d.holds {
				want += d.holds[j][p]
			}
			if quota := x.market.Pool(p).Quota; want > quota {
				return fmt.Errorf("%v: wants %d of pool %d, quota %d", d.at.Sub(0), want, p, quota)
			}
		}
	}
	return nil
}

// notices compares the notices that the spans show with those that the policy
// was told, at the same instant.
func (x *trial) notices() error {
	reported := map[sim.Time]bool{}
	for _, e := range x.recorded.decisions {
		if e.trigger&sim.TriggerNotice != 0 {
			reported[e.at] = true
		}
	}
	before := make([]int, x.market.Pools())
	for _, s := range x.recorded.spans {
		for p, n := range s.Pools {
			if n.Noticed > before[p] && !reported[s.From] {
				return fmt.Errorf("%v: an instance of pool %d is under notice, and the policy was not notified", s.From.Sub(0), p)
			}
			before[p] = n.Noticed
		}
	}
	if t := &x.totals; t.Grants > t.Requests || t.Notices+t.Unannounced < t.Preemptions || t.Preemptions > t.Grants {
		return fmt.Errorf("%d requests, %d grants, %d notices, %d preemptions, %d of them unannounced", t.Requests, t.Grants, t.Notices, t.Preemptions, t.Unannounced)
	}
	return nil
}

// sums adds the spans up and compares: instance time, dollars, activities; of
// Linear jobs also the training that counts with what came of it.
func (x *trial) sums() error {
	t := &x.totals
	var instances sim.MachineTime
	usd, last, at := 0.0, 0.0, sim.Time(0)
	for i := range x.recorded.spans {
		s := &x.recorded.spans[i]
		if s.From != at || s.To <= s.From {
			return fmt.Errorf("a span from %v to %v follows %v", s.From.Sub(0), s.To.Sub(0), at.Sub(0))
		}
		at, last = s.To, s.USD
		for _, p := range s.Pools {
			held := sim.MachineTime(p.Starting+p.Ready+p.Noticed) * sim.MachineTime(s.To-s.From)
			instances += held
			usd += held.Hours() * p.Price
		}
	}
	booked, err := x.booked()
	hours := 0.0
	for _, p := range t.Pools {
		hours += p.InstanceHours
	}
	wrong := Bills(t)
	switch {
	case err != nil:
		return err
	case at != t.End:
		return fmt.Errorf("the spans end at %v, the run at %v", at.Sub(0), t.End.Sub(0))
	case !sameTime(instances, booked):
		return fmt.Errorf("instances were held for %v, %v is booked", instances, booked)
	case wrong != nil:
		return wrong
	case off(usd, t.Bill.Spot+t.Bill.OnDemand):
		return fmt.Errorf("the spans cost %v, the bill says %v", usd, t.Bill)
	case off(hours, booked.Hours()):
		return fmt.Errorf("pools have %v hours, %v are booked", hours, booked.Hours())
	case at > 0 && off(last, t.Bill.Total()):
		return fmt.Errorf("the last span ends at %v USD, the bill at %v", last, t.Bill.Total())
	}
	return nil
}

// booked returns the instance time of all jobs, which is that of their
// activities.
func (x *trial) booked() (booked sim.MachineTime, err error) {
	for i, j := range x.totals.Jobs {
		if m, ok := x.jobs[i].Model.(Linear); ok {
			counts := j.Activities[sim.Useful] + j.Activities[sim.Redundant]
			if made := m.PerWorker * counts.Seconds(); off(made, j.Samples) {
				return 0, fmt.Errorf("job %d made %v samples, in the time that counts it makes %v", i, j.Samples, made)
			}
		}
		var activities sim.MachineTime
		for _, a := range j.Activities {
			if a < 0 {
				return 0, fmt.Errorf("negative time is booked: %v", j.Activities)
			}
			activities += a
		}
		if booked += j.InstanceTime; !sameTime(activities, j.InstanceTime) {
			return 0, fmt.Errorf("job %d has %v of instance time, %v by activity", i, j.InstanceTime, activities)
		}
	}
	return booked, nil
}

// instances compares what a recorder receives of instances with the totals.
func (x *trial) instances() error {
	t := &x.totals
	var held, booked sim.MachineTime
	for _, i := range x.recorded.held {
		end := i.last
		if !i.over {
			end = t.End
		}
		held += sim.MachineTime(end - i.granted)
	}
	for _, j := range t.Jobs {
		booked += j.InstanceTime
	}
	switch n := x.recorded.counts; {
	case x.recorded.err != nil:
		return x.recorded.err
	case n[sim.InstanceGranted] != t.Grants, n[sim.InstanceNoticed] != t.Notices, n[sim.InstanceRevoked] != t.Preemptions:
		return fmt.Errorf("told of grants, ready, notices, revocations, releases %v; the totals say %d grants, %d notices, %d preemptions", n, t.Grants,
			t.Notices, t.Preemptions)
	case !sameTime(held, booked):
		return fmt.Errorf("instances lived for %v, %v is booked", held, booked)
	}
	return nil
}

// sameTime reports whether two sums of the same times are one: to the microsecond as long as they are exact.
func sameTime(a, b sim.MachineTime) bool {
	return a == b || a > 1<<53 && !off(a.Hours(), b.Hours())
}
