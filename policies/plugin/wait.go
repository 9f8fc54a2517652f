package plugin

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/marigram/marigram/policies/plugin/message"
	"github.com/marigram/marigram/sim"
)

// waitFor takes over what a plug-in's plan waits for. A policy within another one is asked for all
// events in any case.
func waitFor(m *message.Plan, v sim.View, plan *sim.Plan, alone bool) error {
	if m.WaitFor != nil {
		events, err := triggers(*m.WaitFor)
		if err != nil {
			return fmt.Errorf("wait_for: %w", err)
		}
		if alone {
			plan.WaitFor(events)
		}
	}
	if n := len(m.WakeWhen); n > maxConditions {
		return fmt.Errorf("wake_when has %d conditions, expected at most %d", n, maxConditions)
	}
	for i := range m.WakeWhen {
		c, err := condition(&m.WakeWhen[i], v)
		if err != nil {
			return fmt.Errorf("wake_when[%d]: %w", i, err)
		}
		plan.WakeWhen(c)
	}
	return nil
}

// triggers reads names of events joined by plus signs; an empty text is none.
func triggers(names string) (events sim.Trigger, err error) {
	if names == "" {
		return 0, nil
	}
	for _, name := range strings.Split(names, "+") {
		event := sim.Trigger(0)
		for bit := sim.Trigger(1); bit <= sim.AnyEvent; bit <<= 1 {
			if bit&sim.AnyEvent != 0 && bit.String() == name {
				event = bit
			}
		}
		if event == 0 {
			return 0, fmt.Errorf("%q is no event that can be left out, expected some of %v", name, sim.AnyEvent)
		}
		events |= event
	}
	return events, nil
}

// maxConditions is how many conditions a decision can name: the world looks at them whenever anything happens.
const maxConditions = 1000

// condition reads a condition of a plug-in.
func condition(m *message.Condition, v sim.View) (c sim.Condition, err error) {
	job, pool := 0, 0
	if active := v.ActiveJobs(); len(active) > 0 {
		job = active[0]
	}
	if m.Job != nil {
		job = *m.Job
	}
	if m.Pool != nil {
		pool = *m.Pool
	}
	if job < 0 || job >= v.Jobs() || pool < 0 || pool >= v.Pools() {
		return c, fmt.Errorf("job %d or pool %d is not in the view", job, pool)
	}
	for _, x := range []*float64{m.WaitedS, m.Done, m.WholeS, m.ReserveS, m.Below, m.Above, m.EveryS} {
		if x != nil && !(*x >= 0) {
			return c, fmt.Errorf("a number is %v, expected at least 0", *x)
		}
	}
	priced := m.Below != nil || m.Above != nil
	kinds := 0
	for _, is := range []bool{m.WaitedS != nil, m.Done != nil, m.WholeS != nil, priced} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1 || priced && m.Pool == nil:
		return c, fmt.Errorf("has %d conditions, expected one: waited_s, done, whole_s, or a pool and below_usd_per_h or above_usd_per_h", kinds)
	case m.WaitedS != nil:
		c = sim.Waited(job, longSpan(*m.WaitedS))
	case m.Done != nil:
		c = sim.Reached(job, *m.Done)
	case m.WholeS != nil:
		c = sim.OutOfTime(job, longSpan(*m.WholeS), longSpan(given(m.ReserveS, 0)))
	default:
		c = sim.PriceOutside(pool, given(m.Below, 0), given(m.Above, math.Inf(1)))
	}
	if m.EveryS == nil {
		return c, nil
	}
	every := longSpan(*m.EveryS)
	if every <= 0 {
		return c, fmt.Errorf("every_s is %v, expected at least 0.000001", *m.EveryS)
	}
	return c.Every(every), nil
}

// given returns a number, or what stands for it where it is left out.
func given(x *float64, otherwise float64) float64 {
	if x == nil {
		return otherwise
	}
	return *x
}

// longSpan is span for any number of seconds; 285 years stand for more.
func longSpan(s float64) time.Duration { return span(min(s, 9e9)) }
