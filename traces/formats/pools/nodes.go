package pools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var nodeEventLine = read.Pattern(`^\d+,(add|remove),[^,]+$`)

// clockTimes is ten years, in us: later times of a first row are no time since the start of a record, but that of a
// clock.
const clockTimes = 10 * 365 * 24 * 3600e6

// nodesFormat reads machines that come and go, one pool a file.
var nodesFormat = formats.Format{
	Name: "node-events",
	What: "machines that come and go, one pool a file: CSV `time,add|remove,node` (Bamboo), or JSON lines `[time, " +
		"\"add\", {\"nodes\": [...]}]` (Parcae, SpotServe), of which what a policy decided is ignored and counted; " +
		"time since the start in ms, or in the option unit, with no machine until the first comes (which begins the " +
		"record if it comes after ten years, as times since 1970 do); rows of one instant keep the order of the " +
		"file, which some simulators decide by; the cause of a removal is not recorded",
	Example:   "0,add,node1\n60000,remove,node1",
	Version:   1,
	Clock:     traces.ClockRelative,
	Semantics: traces.SemanticsHeld,
	Recognise: func(s *read.Source) bool {
		return nodeEventLine().MatchString(s.FirstRecord()) || s.FirstMatches(nodeListLine)
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
	if len(g.events) == 0 {
		return s.Errorf(0, 0, "has no machine that comes, expected at least one")
	}
	b.Report.Changes += len(g.events)
	if g.events[0].t < clockTimes {
		b.ObservedFrom(b.Beginning(s))
	}
	g.giveEvents(b.Beginning(s))
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
	for r := range g.src.Rows("time", "event", "node") {
		t := read.Field(r, "time", func(text string) (int64, error) { return g.at(text, r.Line) })
		node := r.Name("node")
		if r.Err != nil {
			return r.Err
		}
		var err error
		switch event := r.Text("event"); event {
		case "add":
			err = g.come(t, node, r.Line)
		case "remove":
			err = g.leave(t, node, r.Line)
		default:
			return r.Errorf("event", "event %s, expected add or remove", read.Quote(event))
		}
		if err != nil {
			return r.Errorf("node", "%v", err)
		}
		if err := g.b.Fits(g.src.Path, len(g.events)); err != nil {
			return err
		}
	}
	return nil
}

// giveEvents gives the builder the events, on its clock. Times that are all multiples of
// a second or more were recorded on a grid, so that each is only known to within
// it.
func (g *nodeLog) giveEvents(origin int64) {
	times := make([]int64, len(g.events))
	for i := range g.events {
		times[i] = g.events[i].t
	}
	grid := g.b.ClockGrain(times)
	g.b.Manifest.SamplingUs = max(g.b.Manifest.SamplingUs, grid)
	rows := make([]traces.InstanceEventRow, len(g.events))
	for i := range g.events {
		e := &g.events[i]
		rows[i] = traces.InstanceEventRow{
			T:           origin + e.t,
			UncertainUs: grid,
			PoolID:      g.pool,
			SrcFile:     g.src.Index,
			SrcRow:      e.line,
			Origin:      traces.OriginDerived,
			InstanceID:  g.names[e.node],
			Kind:        traces.KindRunning,
			Reason:      traces.ReasonUnknown,
		}
		if e.goes {
			rows[i].Kind = traces.KindTerminate
		}
	}
	g.b.AddEvents(rows...)
}

var nodeListLine = read.Pattern(`^\s*\[\s*\d+\s*,\s*"[A-Za-z-]+"\s*,\s*\{`)

// nodeMarks are events that bring and take no node: decisions of the policy that
// wrote the file, ticks, and the end of the observation.
var nodeMarks = map[string]bool{"no-op": true, "migration": true, nodesDone: true}

// nodesDone ends the observation.
const nodesDone = "DONE"

// readLists reads `[time, event, {"nodes": [...]}]`, one after another, with
// what else a simulator wrote beside the nodes. An event holds for its duration
// where it has one, so that the last tells the end of the observation.
func (g *nodeLog) readLists() error {
	c := read.NewCursor(g.src)
	marks := formats.Tally{}
	end := int64(0)
	for !c.Done() {
		e := nodeList{log: g, c: c}
		if err := c.Array("an event", e.element); err != nil {
			return err
		}
		if err := g.b.Fits(g.src.Path, len(g.events)); err != nil {
			return err
		}
		if e.n != 3 || !e.nodes {
			return c.Errorf("an event of %d elements, expected a time, what happened, and an object with nodes", e.n)
		}
		if nodeMarks[e.kind] {
			marks.Add(e.kind)
		}
		if e.kind == nodesDone || e.duration > 0 {
			end = max(end, e.t+e.duration)
		}
	}
	g.b.NoteCounts(g.src, "events that bring and take no machine", marks)
	if end > 0 {
		g.b.ObservedUntil(g.pool, g.b.Beginning(g.src)+end*g.unit)
	}
	return nil
}

// nodeList is one event as it is read.
type nodeList struct {
	log         *nodeLog
	c           *read.Cursor
	n           int // elements read
	t, duration int64
	kind        string
	nodes       bool // were there
}

func (e *nodeList) element() (err error) {
	e.n++
	switch e.n {
	case 1:
		e.t, err = e.time("time")
	case 2:
		if e.kind, err = e.c.Name("event"); err == nil && e.kind != "add" && e.kind != "remove" && !nodeMarks[e.kind] {
			err = e.c.Errorf("event %s, expected add, remove, no-op, migration or DONE", read.Quote(e.kind))
		}
	case 3:
		err = e.c.Object("an event's third element", e.member)
	default:
		err = e.c.Skip("an event")
	}
	return err
}

// time reads a time in units, not before the event's before.
func (e *nodeList) time(what string) (int64, error) {
	text, err := e.c.Number(what)
	if err != nil {
		return 0, err
	}
	t, err := e.log.at(text, e.c.Line())
	if err != nil {
		err = e.c.Errorf("%s", read.Complaint(what, text, err))
	}
	return t, err
}

func (e *nodeList) member(key string) error {
	switch key {
	case "nodes":
		e.nodes = true
		return e.c.Array(key, e.node)
	case "duration":
		text, err := e.c.Number(key)
		if err != nil {
			return err
		}
		if e.duration, err = json.Number(text).Int64(); err != nil || e.duration < 0 || e.duration > e.log.limit-e.t {
			return e.c.Errorf("duration %s, expected a whole number from 0 to %d", read.Quote(text), e.log.limit-e.t)
		}
		return nil
	}
	e.log.b.Ignore(key)
	return e.c.Skip(key)
}

func (e *nodeList) node() error {
	name, err := e.c.Name("a node")
	if err != nil {
		return err
	}
	line := e.c.Line()
	switch e.kind {
	case "add":
		err = e.log.come(e.t, name, line)
	case "remove":
		err = e.log.leave(e.t, name, line)
	default:
		return e.c.Errorf("node %s in an event %s, expected none", read.Quote(name), read.Quote(e.kind))
	}
	if err != nil {
		err = e.c.Errorf("%v", err)
	}
	return err
}

// nodes reads machines that come and go.
type nodes struct{ *formats.Builder }

// nodeLog is what has been read of a file.
type nodeLog struct {
	src   *read.Source
	b     nodes
	pool  int32
	unit  int64          // us
	limit int64          // the largest time, in units
	last  int64          // the latest time, in units
	line  int            // its line
	up    map[string]int // node that is there: the line at which it came

	events []nodeEvent
	names  []string         // of the nodes, in the order in which they came
	places map[string]int32 // of a name among them
}

// nodeEvent is the coming or going of a node. It is small, and a name is kept once: a row of the neutral form is five
// times as large, and a file may have more of them than are taken.
type nodeEvent struct {
	t    int64 // us
	line int64
	node int32 // its place among the names
	goes bool
}

func newNodeLog(s *read.Source, b nodes, pool int32) *nodeLog {
	unit := cmp.Or(b.Options.Unit, time.Millisecond).Microseconds()
	return &nodeLog{src: s, b: b, pool: pool, unit: unit, limit: max(0, traces.MaxInstant-b.Beginning(s)) / unit,
		up: map[string]int{}, places: map[string]int32{}}
}

// at reads the time of an event, in units.
func (g *nodeLog) at(text string, line int) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n < 0 || n > g.limit || text[0] == '+':
		return 0, fmt.Errorf("expected a whole number from 0 to %d", g.limit)
	case n < g.last:
		return 0, fmt.Errorf("goes back from %d (line %d), expected ascending times", g.last, g.line)
	}
	g.last = n
	g.line = line
	return n, nil
}

// come adds the coming of a node, go the going of one; their complaints have no
// place yet.
func (g *nodeLog) come(t int64, node string, line int) error {
	if since, there := g.up[node]; there {
		return fmt.Errorf("node %s is added, but is there since line %d", read.Quote(node), since)
	}
	g.up[node] = line
	g.add(t, node, line, false)
	return nil
}

func (g *nodeLog) leave(t int64, node string, line int) error {
	if _, there := g.up[node]; !there {
		return fmt.Errorf("node %s is removed, but is not there", read.Quote(node))
	}
	delete(g.up, node)
	g.add(t, node, line, true)
	return nil
}

func (g *nodeLog) add(t int64, node string, line int, goes bool) {
	place, known := g.places[node]
	if !known {
		node = strings.Clone(node) // it is a part of the line, which is not kept
		place = int32(len(g.names))
		g.places[node] = place
		g.names = append(g.names, node)
	}
	g.events = append(g.events, nodeEvent{t: t * g.unit, line: int64(line), node: place, goes: goes})
}
