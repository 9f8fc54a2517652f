package pools

import (
	"fmt"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// addLifetimes makes two events of every life. What is dated counts from the first
// start.
func (b lifetimes) addLifetimes(s *read.Source, lifetimes []lifetime) {
	first := int64(-1)
	for _, x := range lifetimes {
		if x.dated && (first < 0 || x.start < first) {
			first = x.start
		}
	}
	if first >= 0 {
		b.Notef("%s: dated rows count from %s of an unknown time zone", s.Stem(), traces.Stamp(first)[:16])
	}
	b.Notef("why machines ended is not recorded: counted as taken")
	origin := b.Beginning(s)
	names := map[string]bool{}
	for _, x := range lifetimes {
		grain := int64(1e6)
		if x.dated {
			x.start, x.end, grain = x.start-first, x.end-first, 60e6
		}
		b.addLife(s, &x, origin, grain, names)
	}
}

// addLife adds one life. A machine without a name, or with one that was used,
// gets that of its line.
func (b lifetimes) addLife(s *read.Source, x *lifetime, origin, grain int64, names map[string]bool) {
	if x.name == "" || names[x.name] {
		x.name = fmt.Sprintf("%.100s line %d", x.name, x.line)
	}
	names[x.name] = true
	e := traces.InstanceEventRow{
		T: origin + x.start, UncertainUs: grain, SrcFile: s.Index, SrcRow: int64(x.line), Origin: traces.OriginDerived,
		PoolID:     b.ZonePool(traces.Pool{Zone: zoneInName().FindString(x.name), GPUType: x.gpu}),
		InstanceID: x.name, Kind: traces.KindLaunch, Reason: traces.ReasonUnknown,
	}
	gone := e
	gone.T, gone.Kind = origin+x.end, traces.KindTerminate
	b.AddEvents(e, gone)
}

// lifetimes reads sheets.
type lifetimes struct{ *formats.Builder }
