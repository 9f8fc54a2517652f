package simtest

import (
	"fmt"

	"github.com/marigram/marigram/sim"
)

// quotas checks that no more is held, or wanted, than quotas and capacity allow.
func (x *trial) quotas() error {
	for i := range x.recorded.spans {
		span := &x.recorded.spans[i]
		for p, pool := range span.Pools {
			held := pool.Starting + pool.Ready + pool.Noticed
			if quota := x.market.Pool(p).Quota; held > quota {
				return fmt.Errorf("%v: pool %d holds %d, quota %d", span.From.Sub(0), p, held, quota)
			}
			if pool.Capacity >= 0 && held > pool.Capacity {
				return fmt.Errorf("%v: pool %d holds %d, capacity %d", span.From.Sub(0), p, held, pool.Capacity)
			}
		}
	}
	for _, decision := range x.recorded.decisions {
		for p := range x.market.Pools() {
			want := 0
			for j := range decision.holds {
				want += decision.holds[j][p]
			}
			if quota := x.market.Pool(p).Quota; want > quota {
				return fmt.Errorf("%v: wants %d of pool %d, quota %d", decision.at.Sub(0), want, p, quota)
			}
		}
	}
	return nil
}

// notices compares the notices that the spans show with those that the policy
// was told, at the same instant.
func (x *trial) notices() error {
	reported := map[sim.Time]bool{}
	for _, decision := range x.recorded.decisions {
		if decision.trigger&sim.TriggerNotice != 0 {
			reported[decision.at] = true
		}
	}
	before := make([]int, x.market.Pools())
	for _, span := range x.recorded.spans {
		for p, pool := range span.Pools {
			if pool.Noticed > before[p] && !reported[span.From] {
				return fmt.Errorf("%v: an instance of pool %d is under notice, and the policy was not notified",
					span.From.Sub(0), p)
			}
			before[p] = pool.Noticed
		}
	}
	totals := &x.totals
	granted := totals.Grants <= totals.Requests && totals.Preemptions <= totals.Grants
	if !granted || totals.Notices+totals.Unannounced < totals.Preemptions {
		return fmt.Errorf("%d requests, %d grants, %d notices, %d preemptions, %d of them unannounced",
			totals.Requests, totals.Grants, totals.Notices, totals.Preemptions, totals.Unannounced)
	}
	return nil
}

// sums adds the spans up and compares: instance time, dollars, activities; of
// Linear jobs also the training that counts with what came of it.
func (x *trial) sums() error {
	totals := &x.totals
	var instances sim.MachineTime
	usd := 0.0
	last := 0.0
	at := sim.Time(0)
	for i := range x.recorded.spans {
		span := &x.recorded.spans[i]
		if span.From != at || span.To <= span.From {
			return fmt.Errorf("a span from %v to %v follows %v", span.From.Sub(0), span.To.Sub(0), at.Sub(0))
		}
		at = span.To
		last = span.USD
		for _, pool := range span.Pools {
			held := sim.MachineTime(pool.Starting+pool.Ready+pool.Noticed) * sim.MachineTime(span.To-span.From)
			instances += held
			usd += held.Hours() * pool.Price
		}
	}
	booked, err := x.booked()
	hours := 0.0
	for _, pool := range totals.Pools {
		hours += pool.InstanceHours
	}
	wrong := Bills(totals)
	switch {
	case err != nil:
		return err
	case at != totals.End:
		return fmt.Errorf("the spans end at %v, the run at %v", at.Sub(0), totals.End.Sub(0))
	case !sameTime(instances, booked):
		return fmt.Errorf("instances were held for %v, %v is booked", instances, booked)
	case wrong != nil:
		return wrong
	case off(usd, totals.Bill.Spot+totals.Bill.OnDemand):
		return fmt.Errorf("the spans cost %v, the bill says %v", usd, totals.Bill)
	case off(hours, booked.Hours()):
		return fmt.Errorf("pools have %v hours, %v are booked", hours, booked.Hours())
	case at > 0 && off(last, totals.Bill.Total()):
		return fmt.Errorf("the last span ends at %v USD, the bill at %v", last, totals.Bill.Total())
	}
	return nil
}

// booked returns the instance time of all jobs, which is that of their
// activities.
func (x *trial) booked() (booked sim.MachineTime, err error) {
	for i, j := range x.totals.Jobs {
		if model, ok := x.jobs[i].Model.(Linear); ok {
			counts := j.Activities[sim.Useful] + j.Activities[sim.Redundant]
			if made := model.PerWorker * counts.Seconds(); off(made, j.Samples) {
				return 0, fmt.Errorf("job %d made %v samples, in the time that counts it makes %v", i, j.Samples, made)
			}
		}
		var activities sim.MachineTime
		for _, span := range j.Activities {
			if span < 0 {
				return 0, fmt.Errorf("negative time is booked: %v", j.Activities)
			}
			activities += span
		}
		if booked += j.InstanceTime; !sameTime(activities, j.InstanceTime) {
			return 0, fmt.Errorf("job %d has %v of instance time, %v by activity", i, j.InstanceTime, activities)
		}
	}
	return booked, nil
}

// instances compares what a recorder receives of instances with the totals.
func (x *trial) instances() error {
	totals := &x.totals
	var held, booked sim.MachineTime
	for _, i := range x.recorded.held {
		end := i.last
		if !i.over {
			end = totals.End
		}
		held += sim.MachineTime(end - i.granted)
	}
	for _, j := range totals.Jobs {
		booked += j.InstanceTime
	}
	told := x.recorded.counts
	switch {
	case x.recorded.err != nil:
		return x.recorded.err
	case told[sim.InstanceGranted] != totals.Grants, told[sim.InstanceNoticed] != totals.Notices,
		told[sim.InstanceRevoked] != totals.Preemptions:
		return fmt.Errorf("told of grants, ready, notices, revocations, releases %v; "+
			"the totals say %d grants, %d notices, %d preemptions",
			told, totals.Grants, totals.Notices, totals.Preemptions)
	case !sameTime(held, booked):
		return fmt.Errorf("instances lived for %v, %v is booked", held, booked)
	}
	return nil
}

// sameTime reports whether two sums of the same times are one: to the microsecond as long as they are exact.
func sameTime(a, b sim.MachineTime) bool {
	return a == b || a > 1<<53 && !off(a.Hours(), b.Hours())
}
