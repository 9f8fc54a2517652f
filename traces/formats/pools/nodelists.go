package pools

import (
	"encoding/json"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

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
	marks, end := formats.Tally{}, int64(0)
	for !c.Done() {
		e := nodeList{log: g, c: c}
		if err := c.Array("an event", e.element); err != nil {
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
		err = e.c.Errorf("%v", err)
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
