package traces

import (
	"cmp"
	"regexp"
	"strconv"
	"time"
)

var nodeEventLine = regexp.MustCompile(`^\s*\d+\s*,\s*(add|remove)\s*,[^,]+$`)

// nodeEvents reads machines that come and go, one pool a file.
var nodeEvents = importer{
	Format: Format{
		Name:    "node-events",
		What:    "CSV `time,add|remove,node`, one pool a file (Bamboo): time since the start in ms, or in the option unit; the cause of a removal is not recorded",
		Example: "0,add,node1\n60000,remove,node1",
	},
	version: 1,
	recognise: func(s *source) bool {
		for l := range s.lines() {
			return nodeEventLine.MatchString(l.text)
		}
		return false
	},
	read: readNodeEvents,
}

func readNodeEvents(s *source, b *build) error {
	pool, err := b.filePool(s)
	if err != nil {
		return err
	}
	unit := cmp.Or(b.opt.Unit, time.Millisecond).Microseconds()
	var rows []InstanceEventRow
	up := map[string]int{} // node: line at which it came
	for l := range s.lines() {
		r, err := nodeEvent(l, unit, up)
		if err != nil {
			return err
		}
		if n := len(rows); n > 0 && r.T < rows[n-1].T {
			return s.errorf(l.n, 1, "time goes back from %d to %d (line %d), expected ascending times", rows[n-1].T/unit, r.T/unit, rows[n-1].SrcRow)
		}
		r.PoolID, r.SrcFile = pool, s.index
		rows = append(rows, r)
	}
	b.clock, b.semantics = b.opt.relativeClock(), SemanticsHeld
	b.report.Rows += len(rows)
	b.report.Changes += len(rows)
	b.addNodeEvents(s, rows)
	return nil
}

// nodeEvent reads one event. up holds the line at which every machine that is
// there came.
func nodeEvent(l line, unit int64, up map[string]int) (InstanceEventRow, error) {
	r := InstanceEventRow{SrcRow: int64(l.n), Origin: originDerived, Reason: ReasonUnknown}
	f, column, err := l.fields(3)
	if err != nil {
		return r, err
	}
	n, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil || n < 0 || n > maxInstant/unit {
		return r, l.src.errorf(l.n, column[0], "time %s, expected a whole number from 0 to %d", quote(f[0]), maxInstant/unit)
	}
	if err := checkName(f[2]); err != nil {
		return r, l.src.errorf(l.n, column[2], "node %s, %v", quote(f[2]), err)
	}
	since, there := up[f[2]]
	switch f[1] {
	case "add":
		if there {
			return r, l.src.errorf(l.n, column[2], "node %s is added, but is there since line %d", quote(f[2]), since)
		}
		up[f[2]], r.Kind = l.n, KindRunning
	case "remove":
		if !there {
			return r, l.src.errorf(l.n, column[2], "node %s is removed, but is not there", quote(f[2]))
		}
		delete(up, f[2])
		r.Kind = KindTerminate
	default:
		return r, l.src.errorf(l.n, column[1], "event %s, expected add or remove", quote(f[1]))
	}
	r.T, r.InstanceID = n*unit, f[2]
	return r, nil
}

// addNodeEvents places the events on the clock. Times that are all multiples of
// a second or more were recorded on a grid, so that each is only known to within
// it.
func (b *build) addNodeEvents(s *source, rows []InstanceEventRow) {
	grid := b.opt.Sampling.Microseconds()
	if grid == 0 {
		for _, r := range rows {
			grid = gcd(grid, r.T)
		}
		if grid < 1e6 {
			grid = 0
		} else {
			b.notef("all times are multiples of %v: taken as the grain of the source's clock", time.Duration(grid)*time.Microsecond)
		}
	}
	origin := b.opt.origin(s)
	for i := range rows {
		rows[i].T += origin
		rows[i].UncertainUs = grid
	}
	b.sampling = max(b.sampling, grid)
	b.set.InstanceEvents = append(b.set.InstanceEvents, rows...)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
