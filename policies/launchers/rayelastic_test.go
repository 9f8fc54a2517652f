package launchers

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/sim"
)

// rayWorld is nodes that come and go, and a job that Ray Train's rules ran on them.
type rayWorld struct {
	ID        string
	Min, Max  int
	PerWorker map[string]int `json:"per_worker"`
	Nodes     []rayNode
	Interval  float64 `json:"interval_s"`
	Start     float64 `json:"start_s"`
	Detect    float64 `json:"detect_s"`
	Failures  int     `json:"max_failures"`
	Work      float64
	Save      float64 `json:"checkpoint_work"`
	Scaling   float64
	Horizon   float64 `json:"horizon_s"`
}

type rayNode struct {
	Name     string
	Res      map[string]int
	From, To float64
}

type rayRun struct {
	Finish float64 `json:"finish_s"`
	Trace  []struct {
		T    float64
		Ev   string
		N    int
		Frm  int
		Lost float64
	}
}

// workers returns how many workers a node has room for.
func (w *rayWorld) workers(n *rayNode) int {
	room := math.MaxInt
	for name, need := range w.PerWorker {
		room = min(room, n.Res[name]/need)
	}
	return room
}

func (w *rayWorld) possible(at float64) (n int) {
	for i := range w.Nodes {
		if x := &w.Nodes[i]; x.From <= at && at < x.To {
			n += w.workers(x)
		}
	}
	return n
}

// firstLoss returns when the first node goes that has one of so many workers, placed at an instant in the order of the
// nodes.
func (w *rayWorld) firstLoss(at float64, workers int) float64 {
	first := math.Inf(1)
	for i := range w.Nodes {
		x := &w.Nodes[i]
		if workers <= 0 || x.From > at || at >= x.To {
			continue
		}
		if room := w.workers(x); room > 0 {
			workers -= room
			first = min(first, x.To)
		}
	}
	return first
}

// run has the controller run on the nodes, and returns what it did.
func (w *rayWorld) run() (events []string, finish float64) {
	r := NewRayElastic()
	r.Interval = seconds(w.Interval)
	r.Detect = seconds(w.Detect)
	r.Start = seconds(w.Start)
	r.MaxFailures = w.Failures
	g := rayGroup{least: w.Min, most: w.Max, lostAt: sim.Never}
	changes := []float64{0}
	for _, n := range w.Nodes {
		changes = append(changes, n.From, n.To)
	}
	slices.Sort(changes)
	changes = slices.Compact(changes)
	add := func(at float64, format string, args ...any) {
		events = append(events, fmt.Sprintf("%.6f ", at)+fmt.Sprintf(format, args...))
	}
	saved := 0.0
	done := 0.0
	since := 0.0            // from which the group works
	loss := math.Inf(1)     // of a node that the group uses
	finished := math.Inf(1) // the turn at which the controller sees it
	var wake float64
	for now := 0.0; now < w.Horizon; {
		if finished <= now {
			add(finished, "finished")
			return events, finished
		}
		if g.up && loss <= now {
			g.lostAt = sim.At(loss)
		}
		wasUp := g.up
		was := g.workers
		if wasUp {
			done = saved + (min(now, loss)-since)*math.Pow(float64(was), w.Scaling)
		}
		what, next := r.turn(&g, sim.At(now), w.possible(now))
		kept := math.Floor(done/w.Save+1e-9) * w.Save
		switch what {
		case rayStarts:
			add(now, "start %d", g.workers)
		case rayStartFailed:
			add(now, "start failed")
		case rayResizes:
			add(now, "resize %d %d %.3f", was, g.workers, done-kept)
		case rayFails, rayErrs:
			add(now, "failure %d", g.failures)
		}
		switch what {
		case rayErrs:
			add(now, "errored")
			return events, 0
		case rayFails, rayResizes:
			saved = kept
			done = kept
			loss = math.Inf(1)
			finished = math.Inf(1)
		}
		if what != rayWaits {
			continue
		}
		if g.up && !wasUp {
			since = g.started.Sub(0).Seconds()
			loss = w.firstLoss(since, g.workers)
			end := since + (w.Work-saved)/math.Pow(float64(g.workers), w.Scaling)
			if end <= loss {
				finished = since + math.Ceil((end-since)/2-1e-9)*2
			}
			continue
		}
		wake = math.Inf(1)
		if next != sim.Never {
			wake = next.Sub(0).Seconds()
		}
		i, _ := slices.BinarySearch(changes, now+1e-9)
		if i < len(changes) {
			wake = min(wake, changes[i])
		}
		if now = min(wake, finished); math.IsInf(now, 1) {
			break
		}
	}
	return events, 0
}

// TestRayController compares the controller of the policy with Ray Train's rules on nodes that come and go: each start,
// change of size with what it lost, failure, and the end.
func TestRayController(t *testing.T) {
	check := near.Count(t)
	compared := 0
	for _, row := range testutil.Rows(t, "policies/launchers/testdata/ray.csv") {
		var world rayWorld
		var want rayRun
		if err := json.Unmarshal([]byte(row["world"]), &world); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(row["run"]), &want); err != nil {
			t.Fatal(err)
		}
		got, finish := world.run()
		var events []string
		for _, e := range want.Trace {
			what := e.Ev
			switch e.Ev {
			case "start", "failure":
				what = fmt.Sprintf("%s %d", e.Ev, e.N)
			case "resize":
				what = fmt.Sprintf("resize %d %d %.3f", e.Frm, e.N, e.Lost)
			}
			events = append(events, fmt.Sprintf("%.6f %s", e.T, what))
		}
		compared += compareEvents(t, check, world.ID, got, events)
		if check.Off(finish, want.Finish, 1e-3) {
			t.Errorf("%s: finished after %v s, want %v", world.ID, finish, want.Finish)
		}
	}
	t.Logf("%d events", compared)
}
