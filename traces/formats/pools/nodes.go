package pools

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var nodeEventLine = read.Pattern(`^\s*\d+\s*,\s*(add|remove)\s*,[^,]+$`)

// nodesFormat reads machines that come and go, one pool a file.
var nodesFormat = formats.Format{
	Name: "node-events",
	What: "machines that come and go, one pool a file: CSV `time,add|remove,node` (Bamboo), or JSON lines " +
		"`[time, \"add\", {\"nodes\": [...]}]` (Parcae, SpotServe), of which what a policy decided is ignored " +
		"and counted; " +
		"time since the start in ms, or in the option unit; rows of one instant keep the order of the file, which " +
		"some simulators decide by; the cause of a removal is not recorded",
	Example: "0,add,node1\n60000,remove,node1",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		for l := range s.Records() {
			return nodeEventLine().MatchString(l.Plain()) || nodeListLine().MatchString(l.Text)
		}
		return false
	},
	New: func(b *formats.Builder) formats.Importer { return nodes{b} },
}

func (b nodes) Read(s *read.Source) error {
	pool, err := b.FilePool(s)
	if err != nil {
		return err
	}
	g := newNodeLog(s, b, pool)
	if firstByte(s) == '[' {
		err = g.readLists()
	} else {
		err = g.readLines()
	}
	if err != nil {
		return err
	}
	if len(g.rows) == 0 {
		return s.Errorf(0, 0, "has no machine that comes, expected at least one")
	}
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsHeld
	b.Report.Changes += len(g.rows)
	b.addNodeEvents(g.rows, b.Beginning(s))
	return nil
}

// firstByte returns the first byte of a source that is no white space.
func firstByte(s *read.Source) byte {
	if first := s.FirstLine(); first != "" {
		return first[0]
	}
	return 0
}

// readLines reads the CSV.
func (g *nodeLog) readLines() error {
	for l := range g.src.Records() {
		f, column, err := l.Fields(3)
		if err != nil {
			return err
		}
		t, err := g.at(f[0], l.Number)
		if err != nil {
			return l.ErrorAt(column[0], "%v", err)
		}
		if err := read.CheckName(f[2]); err != nil {
			return l.ErrorAt(column[2], "node %s, %v", read.Quote(f[2]), err)
		}
		switch f[1] {
		case "add":
			err = g.come(t, f[2], l.Number)
		case "remove":
			err = g.leave(t, f[2], l.Number)
		default:
			return l.ErrorAt(column[1], "event %s, expected add or remove", read.Quote(f[1]))
		}
		if err != nil {
			return l.ErrorAt(column[2], "%v", err)
		}
	}
	return nil
}

// addNodeEvents places the events on the clock. Times that are all multiples of
// a second or more were recorded on a grid, so that each is only known to within
// it.
func (b nodes) addNodeEvents(rows []traces.InstanceEventRow, origin int64) {
	times := make([]int64, len(rows))
	for i := range rows {
		times[i] = rows[i].T
	}
	grid := b.ClockGrain(times)
	for i := range rows {
		rows[i].T += origin
		rows[i].UncertainUs = grid
	}
	b.Manifest.SamplingUs = max(b.Manifest.SamplingUs, grid)
	b.AddEvents(rows...)
}
