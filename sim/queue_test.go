package sim_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// patient holds one instance of the only pool, and notes when it was told that it comes.
type patient struct{ announced, granted sim.Time }

func (*patient) Name() string { return "patient" }

func (p *patient) Decide(v sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0] = 1
	switch h := v.Held(0, 0); {
	case h.Waiting > 0 && p.announced == 0:
		p.announced = h.WaitingSince
	case h.Active() > 0 && p.granted == 0:
		p.granted = v.Now()
	}
	if p.announced == 0 {
		plan.AskAgain()
	}
}

// The wait of a queue is drawn at the request, is what is announced, and has the median and the
// spread of the pool.
func TestWaitsOfQueues(t *testing.T) {
	check := near.Count(t)
	const runs = 400
	m, err := sim.NewMarket(sim.At(1e8), []sim.Trace{{Pool: sim.Pool{Name: "q", Quota: 1, Wait: time.Hour, WaitSigma: 0.5}, Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	var logs []float64
	sum, squares := 0.0, 0.0
	for seed := range uint64(runs) {
		p := &patient{}
		w, err := sim.New(sim.Config{Market: m, Policy: p, Seed: seed, Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1, Min: 1},
			Objective: sim.Objective{Loss: simtest.LossAt(60), Within: 1e6 * time.Second}}}})
		if err != nil {
			t.Fatal(err)
		}
		w.Run()
		if p.announced != p.granted || p.granted == 0 {
			t.Fatalf("seed %d: announced %v, granted %v", seed, p.announced, p.granted)
		}
		x := math.Log(p.granted.Seconds() / 3600)
		logs, sum, squares = append(logs, x), sum+x, squares+x*x
	}
	slices.Sort(logs)
	mean := sum / runs
	if sd := math.Sqrt(squares/runs - mean*mean); check.Off(logs[runs/2], 0, 0.1) || check.Off(mean, 0, 0.1) || check.Off(sd, 0.5, 0.06) {
		t.Errorf("logarithms of hours: median %v, mean %v, spread %v; expected 0, 0, 0.5", logs[runs/2], mean, sd)
	}
}
