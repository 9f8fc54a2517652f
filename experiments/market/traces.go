package market

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/replay"
)

// beginning returns when a run begins in a trace, us UTC.
func beginning(h *spec.Trace, set *traces.Set) (int64, error) {
	if h.From == "" {
		return set.Manifest.TStartUs + int64(h.FromS*1e6), nil
	}
	t, err := time.Parse(time.RFC3339, h.From)
	return t.UnixMicro(), err
}

// untilKnown leaves out what comes after the instant until which traces are known: as long
// after the beginning of each as after that of the first.
func (m *Markets) untilKnown(set *traces.Set, from int64) (*traces.Set, error) {
	until := from + m.known.Since.Microseconds()
	if at := m.known.Calendar; !at.IsZero() {
		since, err := m.Clock(at)
		if err != nil {
			return nil, err
		}
		until = from + int64(since)
	}
	if until <= from || until <= set.Manifest.TStartUs {
		return nil, fmt.Errorf("nothing is known at %s: the trace begins at %s, and runs in it at %s",
			stamp(until), stamp(set.Manifest.TStartUs), stamp(from))
	}
	return set.Until(until), nil
}

// sources reads the spec's traces, by name.
func (m *Markets) sources() (map[string]source, error) {
	sources := map[string]source{}
	if err := m.notPulled(); err != nil {
		return nil, err
	}
	var names []string
	for i := range m.spec.Market.Traces {
		h := &m.spec.Market.Traces[i]
		src, err := m.read(h)
		if err != nil {
			return nil, m.spec.ErrorAt(fmt.Sprintf("$.market.traces[%d]", i), "%v", err)
		}
		sources[h.Name] = src
		names = append(names, h.Name)
	}
	m.Name = strings.Join(names, "+")
	return sources, nil
}

// load returns a trace: the one that was given, or of its files.
func (m *Markets) load(h *spec.Trace) (set *traces.Set, err error) {
	if set = m.given[h.Name]; set != nil {
		return new(*set), nil
	}
	return Load(m.spec, h)
}

// laidOut returns a trace of which all is known that is in a folder in the neutral form, laid
// out while it was read, in less memory; nil if it is another.
func (m *Markets) laidOut(h *spec.Trace) (*replay.Trace, *traces.Set, error) {
	if m.known != nil || m.given[h.Name] != nil || h.Format != "" {
		return nil, nil, nil
	}
	dir, err := neutral(m.spec, h)
	if err != nil || dir == "" {
		return nil, nil, err
	}
	return replay.Read(dir)
}

func (m *Markets) read(h *spec.Trace) (source, error) {
	trace, set, err := m.laidOut(h)
	if err == nil && set == nil {
		set, err = m.load(h)
	}
	if err != nil {
		return source{}, err
	}
	m.Inputs = append(m.Inputs, set.Manifest.Source.Files...)
	from, err := beginning(h, set)
	if err != nil {
		return source{}, err
	}
	if m.origin == nil && h == &m.spec.Market.Traces[0] && set.Manifest.ClockKind != traces.ClockRelative {
		m.origin = &from
	}
	if m.known != nil {
		if set, err = m.untilKnown(set, from); err != nil {
			return source{}, err
		}
	}
	if trace == nil {
		trace = replay.New(set)
	}
	src := source{trace: trace, set: set, from: from}
	set.Prices = nil // the trace has them, in less room
	set.Capacity = nil
	begin := set.Manifest.TStartUs
	end := set.Manifest.TEndUs
	if src.from < begin || src.from >= end {
		if begin == end {
			return src, fmt.Errorf("all of the trace is of one instant, %s: expected records that span the time "+
				"of a run, or a trace of capacity and a constant price (usd_per_h)", stamp(begin))
		}
		return src, fmt.Errorf("the run would start at %s, but the trace goes from %s to %s",
			stamp(src.from), stamp(begin), stamp(end))
	}
	return src, nil
}
