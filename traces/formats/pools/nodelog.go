package pools

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

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
	rows  []traces.InstanceEventRow
}

func newNodeLog(s *read.Source, b nodes, pool int32) *nodeLog {
	unit := cmp.Or(b.Options.Unit, time.Millisecond).Microseconds()
	return &nodeLog{src: s, b: b, pool: pool, unit: unit, limit: max(0, traces.MaxInstant-b.Beginning(s)) / unit,
		up: map[string]int{}}
}

// at reads the time of an event, in units.
func (g *nodeLog) at(text string, line int) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || n < 0 || n > g.limit || text[0] == '+':
		return 0, fmt.Errorf("time %s, expected a whole number from 0 to %d", read.Quote(text), g.limit)
	case n < g.last:
		return 0, fmt.Errorf("time goes back from %d to %d (line %d), expected ascending times", g.last, n, g.line)
	}
	g.last, g.line = n, line
	return n, nil
}

// come adds the coming of a node, go the going of one; their complaints have no
// place yet.
func (g *nodeLog) come(t int64, node string, line int) error {
	if since, there := g.up[node]; there {
		return fmt.Errorf("node %s is added, but is there since line %d", read.Quote(node), since)
	}
	g.up[node] = line
	g.add(t, node, line, traces.KindRunning)
	return nil
}

func (g *nodeLog) leave(t int64, node string, line int) error {
	if _, there := g.up[node]; !there {
		return fmt.Errorf("node %s is removed, but is not there", read.Quote(node))
	}
	delete(g.up, node)
	g.add(t, node, line, traces.KindTerminate)
	return nil
}

func (g *nodeLog) add(t int64, node string, line int, kind string) {
	g.rows = append(g.rows, traces.InstanceEventRow{
		T: t * g.unit, PoolID: g.pool, SrcFile: g.src.Index, SrcRow: int64(line), Origin: traces.OriginDerived,
		InstanceID: node, Kind: kind, Reason: traces.ReasonUnknown,
	})
}
