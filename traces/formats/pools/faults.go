package pools

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// faultsFormat reads when the servers of a cluster were faulty, one pool a file.
var faultsFormat = formats.Format{
	Name: "faults",
	What: "faults of a cluster's servers, one pool a file: a JSON array of " +
		"`{\"node_id\", \"event_time\", \"event_type\": \"fault_start\"|\"fault_end\", " +
		"\"fault_type\": {\"Level\", \"Class\", \"Desc\"}}` (InfiniteHBD); " +
		"time since the start in days, or in the option unit, in ascending order; a server is down while any of its " +
		"faults lasts; the option cap is the number of servers, else those that are named; levels and classes are " +
		"counted in the notes",
	Example: `[{"node_id": "a", "event_time": 1.5, "event_type": "fault_start", ` +
		`"fault_type": {"Level": "Hardware Failure", "Class": "GPU", "Desc": ""}},` + "\n" +
		` {"node_id": "a", "event_time": 2.25, "event_type": "fault_end", ` +
		`"fault_type": {"Level": "Hardware Failure", "Class": "GPU", "Desc": ""}}]`,
	Version:   1,
	Clock:     traces.ClockRelative,
	Semantics: traces.SemanticsHeld,
	Recognise: func(s *read.Source) bool { return s.Holds(`"fault_start"`, `"fault_end"`) },
	New:       func(b *formats.Builder) formats.Importer { return faults{b} },
}

// faults reads when servers were faulty.
type faults struct{ *formats.Builder }

func (b faults) Read(s *read.Source) error {
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	g := &faultLog{
		b: b, src: s, c: read.NewCursor(s), pool: pool, unit: 86400e6, open: map[string]int{}, kinds: formats.Tally{},
	}
	if b.Options.Unit > 0 {
		g.unit = float64(b.Options.Unit.Microseconds())
	}
	if err := g.c.Array("the faults", g.event); err != nil {
		return err
	}
	if len(g.rows) == 0 {
		return s.Errorf(0, 0, "has no fault, expected at least one")
	}
	all, err := g.servers()
	if err != nil {
		return err
	}
	b.Report.Changes += len(g.rows)
	b.AddEvents(append(all, g.rows...)...)
	for _, kind := range slices.Sorted(maps.Keys(g.kinds)) {
		b.Notef("%s: %d faults of %s", s.Base(), g.kinds[kind], kind)
	}
	return nil
}

// faultLog is what has been read of a file.
type faultLog struct {
	b     faults
	src   *read.Source
	c     *read.Cursor
	pool  int32
	unit  float64 // us
	last  int64   // time of the event before, us
	open  map[string]int
	rows  []traces.InstanceEventRow
	kinds formats.Tally // faults by level and class
}

// event reads the start or the end of a fault.
func (g *faultLog) event() error {
	var node, kind, level, class string
	at := math.NaN()
	line := g.c.Line()
	err := g.c.Fields("a fault", read.Fields{
		"node_id":    read.To(&node, g.c.Name),
		"event_time": read.To(&at, g.c.In(0, float64(max(0, traces.MaxInstant-g.b.Beginning(g.src)))/g.unit)),
		"event_type": read.To(&kind, g.c.Name),
		"fault_type": func(key string) error {
			text := g.c.TextOf(200)
			return g.c.Fields(key, read.Fields{"Level": read.To(&level, text), "Class": read.To(&class, text)},
				func(key string) { g.b.Ignore("fault_type." + key) })
		},
	}, g.b.Ignore)
	if err != nil {
		return err
	}
	t := int64(math.Round(at * g.unit))
	switch {
	case node == "" || math.IsNaN(at):
		return g.c.Errorf("a fault without node_id or event_time, expected both")
	case t < g.last:
		return g.c.Errorf("event_time %v is before that of the event before it, expected ascending times", at)
	case kind == "fault_start":
		g.kinds.Add(level + ", " + class)
		g.open[node]++
		g.add(t, node, line, traces.KindTerminate, traces.ReasonHostError)
	case kind == "fault_end" && g.open[node] == 0:
		return g.c.Errorf("fault_end of server %s, which has no fault", read.Quote(node))
	case kind == "fault_end":
		if g.open[node]--; g.open[node] == 0 {
			g.add(t, node, line, traces.KindRunning, traces.ReasonUnknown)
		}
	default:
		return g.c.Errorf("event_type %s, expected fault_start or fault_end", read.Quote(kind))
	}
	g.last = t
	return nil
}

func (g *faultLog) add(t int64, node string, line int, kind, reason string) {
	g.rows = append(g.rows, traces.InstanceEventRow{
		T:          t + g.b.Beginning(g.src),
		PoolID:     g.pool,
		SrcFile:    g.src.Index,
		SrcRow:     int64(line),
		Origin:     traces.OriginDerived,
		InstanceID: node,
		Kind:       kind,
		Reason:     reason,
	})
}

// servers are all servers, up from the beginning: those with faults by name, then those that the option cap has beyond
// them.
func (g *faultLog) servers() ([]traces.InstanceEventRow, error) {
	named := g.rows
	g.rows = nil
	for _, name := range slices.Sorted(maps.Keys(g.open)) {
		g.add(0, name, 1, traces.KindRunning, traces.ReasonUnknown)
	}
	if n := g.b.Options.Cap; n > 0 && n < len(g.rows) {
		return nil, g.src.Errorf(0, 0, "names %d servers with faults, expected at most cap: %d", len(g.rows), n)
	}
	for k := len(g.rows); k < g.b.Options.Cap; k++ {
		g.add(0, fmt.Sprintf("without-faults-%d", k-len(g.open)), 1, traces.KindRunning, traces.ReasonUnknown)
	}
	all := g.rows
	g.rows = named
	return all, nil
}
