package launchers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/sim"
)

// dstackWorld is a random world on which dstack's rules ran.
type dstackWorld struct {
	ID     string
	Offers []struct {
		ID       string
		Region   string
		Spot     bool
		Price    float64
		Capacity [][2]float64
	}
	Spot     SpotPolicy `json:"spot_policy"`
	MaxPrice float64    `json:"max_price"`
	Retry    *struct {
		On       []string `json:"on_events"`
		Duration float64
	}
	Try        float64 `json:"try_s"`
	Provision  float64 `json:"provision_s"`
	Idle       float64 `json:"idle_s"`
	Checkpoint float64 `json:"checkpoint_s"`
	Work       float64 `json:"work_s"`
	Horizon    float64 `json:"horizon_s"`
}

type dstackRun struct {
	End    string
	USD    float64
	Finish float64 `json:"finish_s"`
	Trace  []struct {
		T     float64
		Ev    string
		Offer string
		OK    bool
		S     float64
		Why   string
	}
}

func (w *dstackWorld) config(t *testing.T, recorder sim.Recorder) sim.Config {
	t.Helper()
	var pools []sim.Trace
	for _, o := range w.Offers {
		pools = append(pools, sim.Trace{
			Pool: sim.Pool{
				Name: o.ID, Region: o.Region, InstanceType: "x", Quota: 1, OnDemand: !o.Spot,
				Boot: sim.Boot{Median: seconds(w.Provision)},
			},
			Prices:   []sim.Price{{USD: o.Price}},
			Capacity: capacity(o.Capacity),
		})
	}
	market, err := sim.NewMarket(sim.At(w.Horizon), pools)
	if err != nil {
		t.Fatal(err)
	}
	p := NewDstack()
	p.Instances = 1
	p.Spot = w.Spot
	p.MaxPrice = w.MaxPrice
	p.Try = seconds(w.Try)
	p.Idle = seconds(w.Idle)
	p.Loop = 0
	p.Retry = w.Retry != nil
	if p.Retry {
		p.RetryOn = RetryEvents(strings.Join(w.Retry.On, "+"))
		p.Duration = seconds(w.Retry.Duration)
	}
	job := sim.Job{
		Model:     &gang{n: 1, work: w.Work, save: w.Checkpoint},
		Objective: sim.Objective{Within: seconds(w.Horizon)},
	}
	return sim.Config{Market: market, Policy: p, Recorder: recorder, Jobs: []sim.Job{job}}
}

// expected turns a recorded trace into the form of the diary.
func (r *dstackRun) expected() (events []string) {
	for _, e := range r.Trace {
		what := ""
		switch e.Ev {
		case "try":
			what = fmt.Sprintf("try %s %s", e.Offer, map[bool]string{true: "granted", false: "refused"}[e.OK])
		case "wait":
			what = fmt.Sprintf("sleep %.3f", e.S)
		case "run":
			what = "run"
		case "lost":
			what = "preempted"
		case "failed":
			what = "failed"
		default:
			continue
		}
		events = append(events, fmt.Sprintf("%.6f %s", e.T, what))
	}
	return events
}

// TestDstack compares the policy in the simulator with dstack's rules: each offer that was asked, when, every delay,
// run and loss, how the run ended and what it cost.
func TestDstack(t *testing.T) {
	check := near.Count(t)
	compared := 0
	for _, row := range testutil.Rows(t, "policies/launchers/testdata/dstack.csv") {
		var world dstackWorld
		var want dstackRun
		if err := json.Unmarshal([]byte(row["world"]), &world); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(row["run"]), &want); err != nil {
			t.Fatal(err)
		}
		var got diary
		w, err := sim.New(world.config(t, &got))
		if err != nil {
			t.Fatal(err)
		}
		totals := w.Run()
		compared += compareEvents(t, check, world.ID, got.events, want.expected())
		job := &totals.Jobs[0]
		if job.Finished != (want.End == "done") || job.GivenUp != strings.HasPrefix(want.End, "failed") {
			t.Errorf("%s: %+v, want %s", world.ID, job, want.End)
		}
		if check.Off(totals.Bill.Total(), want.USD, 1e-5) {
			t.Errorf("%s: %v USD, want %v", world.ID, totals.Bill.Total(), want.USD)
		}
		if job.Finished && check.Off(job.Elapsed.Seconds(), want.Finish, 1e-3) {
			t.Errorf("%s: finished after %v, want %v s", world.ID, job.Elapsed, want.Finish)
		}
	}
	t.Logf("%d events", compared)
}
