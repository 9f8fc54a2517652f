package skynomad

import (
	"cmp"
	"math"
	"slices"
)

// Kind of what is held in a zone.
type Kind uint8

// The kinds.
const (
	None Kind = iota
	Spot
	OnDemand
)

// Lifetimes is what was seen of spot instances in one zone: runs of instances that were
// held, or that a probe saw. Instants are seconds from the start of the job.
type Lifetimes struct {
	// Virtual takes a zone for up from a launch that succeeds to one that fails,
	// and counts the run that goes on among the lifetimes, as censored.
	Virtual bool

	runs    []life
	open    life // the run that goes on, if running
	running bool
	seen    bool    // anything at all
	fails   int     // since the last Update
	probedH float64 // of a virtual run: hours that probes paid for

	hazard
	burst
	ageH float64
}

// life is one run of an instance.
type life struct {
	start, end float64 // s
	probe      bool    // seen by a probe, not held
	failed     bool    // preempted; else we ended it
}

func (l *life) hours() float64 { return (l.end - l.start) / 3600 }

// Start notes that an instance runs since now: one held, or one that a probe saw.
// A run that was open is forgotten.
func (l *Lifetimes) Start(now float64, probe bool) {
	l.open = life{start: now, probe: probe}
	l.running = true
	l.seen = true
}

// End notes that the open run, if there is one, ended: preempted (failed) or given back.
func (l *Lifetimes) End(now float64, failed bool) {
	l.seen = true
	if failed {
		l.fails++
	}
	if !l.running {
		return
	}
	l.open.end = now
	l.open.failed = failed
	l.runs = append(l.runs, l.open)
	l.running = false
}

// Refused notes a launch or a probe that failed.
func (l *Lifetimes) Refused() { l.fails++ }

// AgeH returns the age of the open run at the last Update, hours; 0: there is none.
func (l *Lifetimes) AgeH() float64 { return l.ageH }

// Update brings hazards and burst up to now; to be called once a tick of tickH hours.
func (l *Lifetimes) Update(now, tickH float64) {
	l.ageH = 0
	if l.running {
		l.ageH = (now - l.open.start) / 3600
	}
	l.hazard.estimate(l.runs, l.Virtual, l.ageH)
	l.addTick(l, tickH)
}

// ExpectedH returns for how many hours an instance of the zone is expected to live on
// from the last Update, as far as horizonH: the cap of predictions, or the deadline.
// tickH is the step of time.
func (l *Lifetimes) ExpectedH(tickH, horizonH float64) float64 {
	age := l.ageH
	if l.Virtual {
		age = max(age, l.probedH)
	}
	return min(l.hazard.expectedH(age, l.factor(), tickH), horizonH)
}

// Availability returns the share of the last windowH hours in which an instance of the
// zone was known to run; of all the time, where it is shorter; 0 if nothing was seen.
func (l *Lifetimes) Availability(now, windowH float64) float64 {
	if !l.seen || now <= 0 {
		return 0
	}
	from := max(now-windowH*3600, 0)
	up := 0.0
	for _, r := range l.runs {
		up += max(min(r.end, now)-max(r.start, from), 0)
	}
	if l.running {
		up += max(now-max(l.open.start, from), 0)
	}
	return min(up/(now-from), 1)
}

// Burst returns by how much failures come faster than the lifetimes say; 1: they do not.
func (l *Lifetimes) Burst() float64 { return l.factor() }

// Probed adds hours that a probe paid for to the age of a virtual run.
func (l *Lifetimes) Probed(hours float64) { l.probedH += hours }

// restart makes l what is known of a zone of which nothing was seen, reusing its memory.
func (l *Lifetimes) restart() {
	*l = Lifetimes{
		runs:   l.runs[:0],
		hazard: hazard{steps: l.steps[:0], lengths: l.lengths, failures: l.failures},
		burst:  burst{list: l.list[:0]},
	}
}

// copyFrom makes l equal to src, sharing nothing with it.
func (l *Lifetimes) copyFrom(src *Lifetimes) {
	*l = *src
	l.runs = slices.Clone(src.runs)
	l.steps = slices.Clone(src.steps)
	l.list = slices.Clone(src.list)
	l.lengths = nil
	l.failures = nil
}

// hazard is the rate of failures by age, as steps at the ages at which runs failed.
type hazard struct {
	steps []step
	tail  float64 // hazard of a step after the last

	lengths, failures []float64 // scratch
}

// step is the share of the runs of an age that fail at it.
type step struct{ ageH, share float64 }

// minHazard is that of a zone in which nothing failed.
const minHazard = 1e-8

// estimate takes the steps from ended runs, by Kaplan and Meier; the open one of an age
// counts as censored if virtual.
func (h *hazard) estimate(runs []life, virtual bool, ageH float64) {
	lengths := h.lengths[:0]
	failures := h.failures[:0]
	for i := range runs {
		lengths = append(lengths, runs[i].hours())
		if runs[i].failed {
			failures = append(failures, runs[i].hours())
		}
	}
	if virtual && ageH > 0 {
		lengths = append(lengths, ageH)
	}
	slices.Sort(lengths)
	slices.Sort(failures)
	h.lengths = lengths
	h.failures = failures
	h.steps = h.steps[:0]
	h.tail = minHazard
	for i := 0; i < len(failures); {
		n := 1
		for i+n < len(failures) && failures[i+n] == failures[i] {
			n++
		}
		first, _ := slices.BinarySearchFunc(lengths, failures[i], cmp.Compare)
		h.steps = append(h.steps, step{failures[i], float64(n) / float64(len(lengths)-first)})
		i += n
	}
	if len(h.steps) > 0 {
		h.tail = max(h.steps[len(h.steps)-1].share, minHazard)
	}
}

// expectedH integrates the survival from an age on, each hazard times factor.
func (h *hazard) expectedH(age, factor, tickH float64) float64 {
	hours := 0.0
	survives := 1.0
	for _, s := range h.steps {
		if s.ageH > age+1e-12 {
			hours += survives * (s.ageH - age)
			survives *= math.Exp(-factor * s.share)
			age = s.ageH
		}
	}
	return hours + survives*tickH/(1-math.Exp(-factor*h.tail))
}

// sum is the hazard up to an age.
func (h *hazard) sum(ageH float64) float64 {
	if ageH <= 0 {
		return 0
	}
	total := 0.0
	last := 0.0
	for _, s := range h.steps {
		if s.ageH < ageH {
			total += s.share
			last = s.ageH
		}
	}
	return total + (ageH-last)*h.tail
}

// burst compares failures with what the hazards made expect.
type burst struct {
	spotAge, probeAge remembered // of the open run, at the Update before
	list              []exposure
	value             float64 // 0: not known yet
}

// remembered is an age in hours that may be forgotten.
type remembered struct {
	hours float64
	known bool
}

// exposure is a tick's expected and seen failures.
type exposure struct {
	risk  float64
	fails int
}

func (b *burst) factor() float64 { return max(b.value, 1) }

// maxRisk bounds the expected failures that are kept.
const maxRisk = 8

// Launched tells that an instance of the zone was launched: its age is 0.
func (l *Lifetimes) Launched() {
	l.spotAge = remembered{0, true}
	l.probeAge = remembered{}
}

// Seen tells whether a probe found capacity.
func (l *Lifetimes) Seen(up bool) { l.probeAge = remembered{0, up} }

// addTick adds the exposure of a tick and computes the factor anew.
func (b *burst) addTick(l *Lifetimes, tickH float64) {
	before := b.remember(l, tickH)
	risk := b.risk(l, before, tickH)
	if risk == 0 && l.fails == 0 {
		return
	}
	b.list = append(b.list, exposure{risk, l.fails})
	l.fails = 0
	total := 0.0
	for _, e := range b.list {
		total += e.risk
	}
	for len(b.list) > 1 && total-b.list[0].risk >= maxRisk {
		total -= b.list[0].risk
		b.list = slices.Delete(b.list, 0, 1)
	}
	b.value = 1
	if total >= 1 {
		b.value = b.fastest()
	}
}

// remember notes the age of the open run and returns that of the tick before.
func (b *burst) remember(l *Lifetimes, tickH float64) float64 {
	if !l.running {
		b.spotAge = remembered{}
		if !l.Virtual {
			b.probeAge = remembered{}
		}
		return 0
	}
	mine := &b.spotAge
	other := &b.probeAge
	if l.open.probe {
		mine, other = other, mine
	}
	before := max(l.ageH-tickH, 0)
	if mine.known {
		before = mine.hours
	}
	*mine = remembered{l.ageH, true}
	if l.open.probe || !l.Virtual {
		*other = remembered{}
	}
	return before
}

// risk returns how many failures were to be expected in the tick.
func (b *burst) risk(l *Lifetimes, before, tickH float64) float64 {
	risk := 0.0
	if l.running {
		risk = max(0, l.sum(l.ageH)-l.sum(before))
	}
	if risk > 0 || !l.running && l.fails == 0 {
		return risk
	}
	if len(l.steps) == 0 {
		risk = tickH * l.tail
	} else if l.running && before >= l.steps[len(l.steps)-1].ageH {
		risk = l.tail * max(0, l.ageH-before)
	}
	if risk == 0 && l.fails > 0 {
		risk = tickH * l.tail
	}
	return risk
}

// fastest returns the largest ratio of seen to expected failures over the last ticks in
// which one was expected at most.
func (b *burst) fastest() float64 {
	largest := 1.0
	risk := 0.0
	fails := 0
	for i := len(b.list) - 1; i >= 0; i-- {
		risk += b.list[i].risk
		fails += b.list[i].fails
		if risk > 1+1e-9 && i < len(b.list)-1 {
			break
		}
		if risk > 0 || fails > 0 {
			if risk == 0 {
				risk = 1e-6
			}
			largest = max(largest, float64(fails)/risk)
		}
	}
	return largest
}
