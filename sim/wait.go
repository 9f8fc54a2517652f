package sim

import (
	"math"
	"time"
)

// WakeWhen asks to be asked again when c begins to hold, as long as no other decision comes
// first: like WakeIn it is of one decision. A condition that holds at the decision is waited
// for once it has ceased to; with Every, it counts when it is looked at.
// The trigger is then TriggerMet.
func (p *Plan) WakeWhen(c Condition) {
	n := len(p.waits)
	if n == cap(p.waits) {
		p.waits = append(p.waits, wait{})
	}
	p.waits = p.waits[:n+1]
	x := &p.waits[n] // here: a larger struct is written and read again
	x.Condition, x.since, x.named, x.held, x.from, x.at = c, p.now, true, false, Never, Never
}

// KeepWaiting waits for the conditions and the events of the decision before, too, as if this one had not
// come: for a policy around another one that it does not ask now.
func (p *Plan) KeepWaiting() {
	p.waits = append(p.waits, p.before...)
	if p.hadChosen {
		p.WaitFor(AnyEvent &^ p.hadSkipped)
	}
}

// WaitFor says which of TriggerGrant, TriggerReady, TriggerNotice, TriggerGone, TriggerPrice and
// TriggerJob the policy is to be asked for until its next decision; it is asked for the other
// triggers in any case, and by default for all. Several calls add up. A policy within another
// one does not call it (View.Asks).
func (p *Plan) WaitFor(events Trigger) {
	if !p.chosen {
		p.chosen, p.skip = true, AnyEvent
	}
	p.skip &^= events
}

// AnyEvent is the triggers that WaitFor chooses from.
const AnyEvent = TriggerGrant | TriggerReady | TriggerNotice | TriggerGone | TriggerPrice | TriggerJob

// armConditions sets the policy's timer to the first of what it waits for.
func (w *World) armConditions() {
	w.met = Never
	for i := range w.plan.waits {
		w.met = min(w.met, w.firstAt(&w.plan.waits[i]))
	}
	w.wake = min(w.plan.wake, w.met)
}

// firstAt returns the first instant from now on, but after the decision, at which the policy is
// asked because of c, if nothing changes but prices and progress.
func (w *World) firstAt(c *wait) Time {
	switch {
	case c.every > 0:
		return w.firstPoll(c)
	case c.kind() == waited:
		at := w.waited(c)
		if at <= c.since {
			return Never // it held at the decision
		}
		return max(at, w.now)
	}
	if c.named {
		c.held, c.named = w.holdsAt(c, w.now), false
	}
	if c.held = c.held && w.holdsAt(c, w.now); !c.held {
		return w.nextHold(c, w.now)
	}
	if c.kind() != priceOutside {
		return Never // only an event can end it
	}
	return w.nextHold(c, w.market.series[c.of()].nextInside(&c.Condition, w.now))
}

// waited returns since when c holds, or will: of requests that wait.
func (w *World) waited(c *wait) Time {
	if s := &w.jobs[c.of()]; s.waiting > 0 {
		return s.waitingSince.plus(int64(c.x))
	}
	return Never
}

// firstPoll returns the first of the polls of c at which it holds.
func (w *World) firstPoll(c *wait) Time {
	step := Time(0).Add(c.every)
	for at := w.now; ; {
		at = w.nextHold(c, max(at, c.since+1))
		if at >= w.end {
			return Never
		}
		if late := (at - c.since) % step; late > 0 {
			at += step - late
		}
		if at >= w.end || w.holdsAt(c, at) {
			return at
		}
	}
}

// nextHold returns the first instant from an instant on, which is not in the past, at which c
// holds; Never if that is not before something else happens to its job.
func (w *World) nextHold(c *wait, from Time) Time {
	switch c.kind() {
	case waited:
		return max(from, w.waited(c))
	case priceOutside:
		if c.from > from || c.at < from { // else as it was looked up
			c.from, c.at = from, w.market.series[c.of()].nextOutside(&c.Condition, from)
		}
		return c.at
	}
	last := min(w.timers.of(w.jobSlot(c.of())), w.end)
	if w.holdsAt(c, from) {
		return from
	}
	if from >= last || !w.holdsAt(c, last) {
		return Never
	}
	for last-from > 1 { // it does not hold at from, and does at last
		if half := from + (last-from)/2; w.holdsAt(c, half) {
			last = half
		} else {
			from = half
		}
	}
	return last
}

// holdsAt reports whether c holds at an instant that is not in the past, if nothing changes until then but
// prices and progress.
func (w *World) holdsAt(c *wait, at Time) bool {
	if c.kind() == priceOutside {
		usd := w.market.Price(c.of(), at)
		low, high := c.prices()
		return usd < low || usd > high
	}
	j := c.of()
	s := &w.jobs[j]
	switch {
	case !s.active():
		return false
	case c.kind() == waited:
		return w.waited(c) <= at
	case c.kind() == reached:
		return w.done(j, at) >= math.Float64frombits(c.x)
	}
	left := s.submit.Add(w.specs[j].Objective.Within).Sub(at) - time.Duration(c.y)
	return (1-w.done(j, at))*time.Duration(c.x).Seconds() > left.Seconds()
}

// nextOutside returns the first instant from t on at which the price is below low or above
// high, Never if there is none.
func (s *series) nextOutside(c *Condition, t Time) Time {
	low, high := c.prices()
	for i := s.find(t); i < len(s.usd); i++ {
		if i%levelBlock == 0 && s.lows[i/levelBlock] >= low && s.highs[i/levelBlock] <= high {
			i += levelBlock - 1
			continue
		}
		if s.usd[i] < low || s.usd[i] > high {
			return max(s.priceAt[i], t)
		}
	}
	return Never
}

// nextInside returns the first instant from t on at which it is not.
func (s *series) nextInside(c *Condition, t Time) Time {
	low, high := c.prices()
	for i := s.find(t); i < len(s.usd); i++ {
		if s.usd[i] >= low && s.usd[i] <= high {
			return max(s.priceAt[i], t)
		}
	}
	return Never
}

// levelBlock is the number of records of which the lowest and the highest level are known, so
// that those that cannot matter are passed over together.
const levelBlock = 64

// indexLevels notes the lowest and the highest price of each block.
func (s *series) indexLevels() {
	blocks := (len(s.usd) + levelBlock - 1) / levelBlock
	s.lows, s.highs = resize(s.lows, blocks), resize(s.highs, blocks)
	for b := range s.lows {
		low, high := math.Inf(1), math.Inf(-1)
		for _, usd := range s.usd[b*levelBlock : min((b+1)*levelBlock, len(s.usd))] {
			low, high = min(low, usd), max(high, usd)
		}
		s.lows[b], s.highs[b] = low, high
	}
}

// indexPrices cuts the time of the prices into as many stretches as there are
// prices, so that a look-up begins near its end.
func (s *series) indexPrices() {
	n := len(s.priceAt)
	s.width = s.priceAt[n-1]/Time(n) + 1
	s.bucket = resize(s.bucket, n)
	for b := range s.bucket {
		hint := 0
		if b > 0 {
			hint = int(s.bucket[b-1])
		}
		s.bucket[b] = int32(s.priceIndex(Time(b)*s.width, hint))
	}
	s.indexLevels()
}
