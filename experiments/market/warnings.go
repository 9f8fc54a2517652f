package market

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/replay"
)

// warn adds a warning about all runs. Results separate warnings by semicolons.
func (m *Markets) warn(format string, args ...any) {
	m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
}

// warnDuring adds a warning about the runs that overlap one of the intervals.
func (m *Markets) warnDuring(when []interval, format string, args ...any) {
	m.partial = append(m.partial, partial{fmt.Sprintf(format, args...), when})
}

// WarningsDuring yields the warnings about a run from an instant of the market
// until another, beside those about all runs.
func (m *Markets) WarningsDuring(from, until sim.Time) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range m.partial {
			p := &m.partial[i]
			during := func(x interval) bool { return x.from < until && from < x.until }
			if slices.ContainsFunc(p.when, during) && !yield(p.text) {
				return
			}
		}
	}
}

// PartialWarnings yields the warnings about some of the runs.
func (m *Markets) PartialWarnings() iter.Seq[string] {
	return m.WarningsDuring(0, math.MaxInt64)
}

// warnAlignment warns of traces that begin at different times of the calendar:
// in a run they begin together. That is meant where prices of one year go with
// capacity of another, and a mistake where both are of one week. Whoever gives a
// from for each means it.
func (m *Markets) warnAlignment(sources map[string]source) {
	var first, last *spec.Trace
	meant := true
	for i := range m.spec.Market.Traces {
		h := &m.spec.Market.Traces[i]
		src := sources[h.Name]
		if src.set.Manifest.ClockKind == traces.ClockRelative || !m.follows(h.Name) {
			continue
		}
		meant = meant && (h.From != "" || h.FromS != 0)
		if first == nil || src.from < sources[first.Name].from {
			first = h
		}
		if last == nil || src.from > sources[last.Name].from {
			last = h
		}
	}
	if first == nil || meant || sources[first.Name].from == sources[last.Name].from {
		return
	}
	a, b := sources[first.Name].from, sources[last.Name].from
	m.warn("traces %s (from %s) and %s (from %s) start %v apart on the calendar, but together in the run: "+
		"set from in each of them to align them, or to confirm this",
		first.Name, stamp(a), last.Name, stamp(b), time.Duration(b-a)*time.Microsecond)
}

// warnZones warns of traces whose times have no zone beside others whose times have one: both are taken as UTC, so that
// they lie apart in the run by the offset of a zone that nobody said. Whoever gives a from for each has aligned them.
func (m *Markets) warnZones(sources map[string]source) {
	var zoned, unzoned *spec.Trace
	aligned := true
	for i := range m.spec.Market.Traces {
		h := &m.spec.Market.Traces[i]
		clock := sources[h.Name].set.Manifest.ClockKind
		if clock == traces.ClockRelative || !m.follows(h.Name) {
			continue
		}
		aligned = aligned && (h.From != "" || h.FromS != 0)
		if clock == traces.ClockUTC && zoned == nil {
			zoned = h
		}
		if clock == traces.ClockUnknownTZ && unzoned == nil {
			unzoned = h
		}
	}
	if zoned == nil || unzoned == nil || aligned {
		return
	}
	m.warn("times of the trace %s have no time zone and are taken as UTC, beside those of %s, which have one: "+
		"write offsets in its file (marigram traces import says where), or set from in each of them to align them",
		unzoned.Name, zoned.Name)
}

// follows reports whether a pool's prices or capacity follow a trace in time; an
// assumed price and lifetimes drawn at random do not.
func (m *Markets) follows(trace string) bool {
	for i := range m.spec.Market.Pools {
		p := &m.spec.Market.Pools[i]
		capacity := m.spec.Capacity(p)
		drawn := m.replays[i].Adapter == replay.LifetimeResample
		pricesFollow := p.Prices.Trace == trace && p.Prices.USDPerH == 0
		capacityFollows := capacity != nil && capacity.Trace == trace && !drawn
		if pricesFollow || capacityFollows {
			return true
		}
	}
	return false
}
