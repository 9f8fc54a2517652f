package sim

import (
	"math"
	"time"
)

// WakeWhen asks to be asked again when a condition begins to hold, as long as no other decision comes
// first: like WakeIn it is of one decision. A condition that holds at the decision is waited
// for once it has ceased to; with Every, it counts when it is looked at.
// The trigger is then TriggerMet.
func (p *Plan) WakeWhen(condition Condition) {
	n := len(p.waits)
	if n == cap(p.waits) {
		p.waits = append(p.waits, wait{})
	}
	p.waits = p.waits[:n+1]
	added := &p.waits[n] // here: a larger struct is written and read again
	added.Condition = condition
	added.since = p.now
	added.named = true
	added.held = false
	added.from = Never
	added.at = Never
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
		p.chosen = true
		p.skip = AnyEvent
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
// asked because of a condition, if nothing changes but prices and progress.
func (w *World) firstAt(condition *wait) Time {
	switch {
	case condition.every > 0:
		return w.firstPoll(condition)
	case condition.kind() == waited:
		at := w.waited(condition)
		if at <= condition.since {
			return Never // it held at the decision
		}
		return max(at, w.now)
	}
	if condition.named {
		condition.held = w.holdsAt(condition, w.now)
		condition.named = false
	}
	condition.held = condition.held && w.holdsAt(condition, w.now)
	if !condition.held {
		return w.nextHold(condition, w.now)
	}
	if condition.kind() != priceOutside {
		return Never // only an event can end it
	}
	return w.nextHold(condition, w.market.series[condition.of()].nextInside(&condition.Condition, w.now))
}

// waited returns since when a condition holds, or will: of requests that wait.
func (w *World) waited(condition *wait) Time {
	if job := &w.jobs[condition.of()]; job.waiting > 0 {
		return job.waitingSince.plus(int64(condition.x))
	}
	return Never
}

// firstPoll returns the first of the polls of a condition at which it holds.
func (w *World) firstPoll(condition *wait) Time {
	step := Time(0).Add(condition.every)
	for at := w.now; ; {
		at = w.nextHold(condition, max(at, condition.since+1))
		if at >= w.end {
			return Never
		}
		if late := (at - condition.since) % step; late > 0 {
			at += step - late
		}
		if at >= w.end || w.holdsAt(condition, at) {
			return at
		}
	}
}

// nextHold returns the first instant from an instant on, which is not in the past, at which a condition
// holds; Never if that is not before something else happens to its job.
func (w *World) nextHold(condition *wait, from Time) Time {
	switch condition.kind() {
	case waited:
		return max(from, w.waited(condition))
	case priceOutside:
		if condition.from > from || condition.at < from { // else as it was looked up
			condition.from = from
			condition.at = w.market.series[condition.of()].nextOutside(&condition.Condition, from)
		}
		return condition.at
	}
	last := min(w.timers.of(w.jobSlot(condition.of())), w.end)
	if w.holdsAt(condition, from) {
		return from
	}
	if from >= last || !w.holdsAt(condition, last) {
		return Never
	}
	for last-from > 1 { // it does not hold at from, and does at last
		if half := from + (last-from)/2; w.holdsAt(condition, half) {
			last = half
		} else {
			from = half
		}
	}
	return last
}

// holdsAt reports whether a condition holds at an instant that is not in the past, if nothing changes until then but
// prices and progress.
func (w *World) holdsAt(condition *wait, at Time) bool {
	if condition.kind() == priceOutside {
		usd := w.market.Price(condition.of(), at)
		low, high := condition.prices()
		return usd < low || usd > high
	}
	j := condition.of()
	job := &w.jobs[j]
	switch {
	case !job.active():
		return false
	case condition.kind() == waited:
		return w.waited(condition) <= at
	case condition.kind() == reached:
		return w.done(j, at) >= math.Float64frombits(condition.x)
	}
	left := job.submit.Add(w.specs[j].Objective.Within).Sub(at) - time.Duration(condition.y)
	return (1-w.done(j, at))*time.Duration(condition.x).Seconds() > left.Seconds()
}

// nextOutside returns the first instant from t on at which the price is below low or above
// high, Never if there is none.
func (s *series) nextOutside(condition *Condition, at Time) Time {
	low, high := condition.prices()
	for i := s.find(at); i < len(s.usd); i++ {
		if i%levelBlock == 0 && s.lows[i/levelBlock] >= low && s.highs[i/levelBlock] <= high {
			i += levelBlock - 1
			continue
		}
		if s.usd[i] < low || s.usd[i] > high {
			return max(s.priceAt[i], at)
		}
	}
	return Never
}

// nextInside returns the first instant from t on at which it is not.
func (s *series) nextInside(condition *Condition, at Time) Time {
	low, high := condition.prices()
	for i := s.find(at); i < len(s.usd); i++ {
		if s.usd[i] >= low && s.usd[i] <= high {
			return max(s.priceAt[i], at)
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
	s.lows = resize(s.lows, blocks)
	s.highs = resize(s.highs, blocks)
	for block := range s.lows {
		low := math.Inf(1)
		high := math.Inf(-1)
		for _, usd := range s.usd[block*levelBlock : min((block+1)*levelBlock, len(s.usd))] {
			low = min(low, usd)
			high = max(high, usd)
		}
		s.lows[block] = low
		s.highs[block] = high
	}
}

// indexPrices cuts the time of the prices into as many stretches as there are
// prices, so that a look-up begins near its end.
func (s *series) indexPrices() {
	n := len(s.priceAt)
	s.width = s.priceAt[n-1]/Time(n) + 1
	s.bucket = resize(s.bucket, n)
	for block := range s.bucket {
		hint := 0
		if block > 0 {
			hint = int(s.bucket[block-1])
		}
		s.bucket[block] = int32(s.priceIndex(Time(block)*s.width, hint))
	}
	s.indexLevels()
}
