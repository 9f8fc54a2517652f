package formats

import (
	"encoding/json"
	"regexp"
)

var nodeListLine = regexp.MustCompile(`^\s*\[\s*\d+\s*,\s*"[A-Za-z-]+"\s*,\s*\{`)

// nodeMarks are events that bring and take no node: decisions of the policy that
// wrote the file, ticks, and the end of the observation.
var nodeMarks = map[string]bool{"no-op": true, "migration": true, nodesDone: true}

// nodesDone ends the observation.
const nodesDone = "DONE"

// readLists reads `[time, event, {"nodes": [...]}]`, one after another, with
// what else a simulator wrote beside the nodes. An event holds for its duration
// where it has one, so that the last tells the end of the observation.
func (g *nodeLog) readLists() error {
	c := newCursor(g.src)
	marks, end := tally{}, int64(0)
	for !c.done() {
		e := nodeList{log: g, c: c}
		if err := c.array("an event", e.element); err != nil {
			return err
		}
		if e.n != 3 || !e.nodes {
			return c.errorf("an event of %d elements, expected a time, what happened, and an object with nodes", e.n)
		}
		if nodeMarks[e.kind] {
			marks.add(e.kind)
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
	c           *cursor
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
		if e.kind, err = e.c.name("event"); err == nil && e.kind != "add" && e.kind != "remove" && !nodeMarks[e.kind] {
			err = e.c.errorf("event %s, expected add, remove, no-op, migration or DONE", quote(e.kind))
		}
	case 3:
		err = e.c.object("an event's third element", e.member)
	default:
		err = e.c.skip("an event")
	}
	return err
}

// time reads a time in units, not before the event's before.
func (e *nodeList) time(what string) (int64, error) {
	text, err := e.c.number(what)
	if err != nil {
		return 0, err
	}
	t, err := e.log.at(text, e.c.line())
	if err != nil {
		err = e.c.errorf("%v", err)
	}
	return t, err
}

func (e *nodeList) member(key string) error {
	switch key {
	case "nodes":
		e.nodes = true
		return e.c.array(key, e.node)
	case "duration":
		text, err := e.c.number(key)
		if err != nil {
			return err
		}
		if e.duration, err = json.Number(text).Int64(); err != nil || e.duration < 0 || e.duration > e.log.limit-e.t {
			return e.c.errorf("duration %s, expected a whole number from 0 to %d", quote(text), e.log.limit-e.t)
		}
		return nil
	}
	e.log.b.Ignore(key)
	return e.c.skip(key)
}

func (e *nodeList) node() error {
	name, err := e.c.name("a node")
	if err != nil {
		return err
	}
	line := e.c.line()
	switch e.kind {
	case "add":
		err = e.log.come(e.t, name, line)
	case "remove":
		err = e.log.leave(e.t, name, line)
	default:
		return e.c.errorf("node %s in an event %s, expected none", quote(name), quote(e.kind))
	}
	if err != nil {
		err = e.c.errorf("%v", err)
	}
	return err
}
