package advise

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/sim"
)

// The least past, in times of what is left to the deadline, and the oldest last change of a trace, that are not said.
const (
	littlePast = 4
	staleAfter = 6 * time.Hour
)

// addWarning adds why the figures may mislead.
func (a *adviser) addWarning(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

// warn says why the figures may mislead.
func (a *adviser) warn() {
	a.warnings = append(a.warnings, a.markets.Warnings...)
	now := a.record.now
	a.warnFailures()
	if a.spec.Market.Synthetic != nil {
		a.addWarning("the market is synthetic: continuations are of %d markets of its generator under other seeds",
			syntheticMarkets)
		return
	}
	a.warnings = append(a.warnings, a.work.warnings()...)
	if !a.recorded() {
		return
	}
	if age := now.Sub(a.lastChange()); age > staleAfter {
		a.addWarning("stale traces: their last change is %v before now; the last known values are used",
			age.Round(time.Minute))
	}
	past := now.Sub(a.past.tracks[0].from)
	if left := a.work.lastDeadline().Sub(now); left > 0 && past < littlePast*left {
		a.addWarning("short traces: %v until now for the %v until the deadline; "+
			"what has not happened in them is not expected", past.Round(time.Minute), left.Round(time.Minute))
	}
}

// warnFailures says what is assumed of machines that fail.
func (a *adviser) warnFailures() {
	fails, recorded := false, false
	for p := range a.market.Pools() {
		if of := a.market.Pool(p).Failures; of != nil {
			fails = true
			recorded = recorded || len(of.Outages) > 0
		}
	}
	if fails && a.work.heldBySaid() {
		a.addWarning("machines fail in the continuations as the spec says; a state does not say which are down: " +
			"all of them are taken to be up now")
	}
	if recorded {
		a.addWarning("recorded faults: in the continuations machines fail as often as they did until now, " +
			"one by one, and are down as long as those were")
	}
}

// lastChange returns the last instant until now at which a price or capacity changed.
func (a *adviser) lastChange() (last sim.Time) {
	for p := range a.market.Pools() {
		for _, t := range a.market.Changes(p) {
			if t <= a.record.now {
				last = max(last, t)
			}
		}
	}
	return last
}
