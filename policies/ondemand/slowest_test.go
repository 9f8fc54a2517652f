package ondemand_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/policies/ondemand"
	"github.com/marigram/marigram/sim"
)

// hidden is a model that does not say that its workers wait for the slowest.
type hidden struct {
	sim.WorkerModel
	sim.PipelineModel
	sim.Model
}

func (h hidden) Rate(l *sim.Layout) sim.Rate                           { return h.Model.Rate(l) }
func (h hidden) Begin(l *sim.Layout) float64                           { return h.Model.Begin(l) }
func (h hidden) Goal(loss float64) float64                             { return h.Model.Goal(loss) }
func (h hidden) Loss(progress float64) float64                         { return h.Model.Loss(progress) }
func (h hidden) Change(c *sim.Change) sim.Pause                        { return h.Model.Change(c) }
func (h hidden) SaveTime(l *sim.Layout) (stall, persist time.Duration) { return h.Model.SaveTime(l) }

// lister lists the clusters of one market at some numbers and prices.
type lister struct{ list string }

func (*lister) Name() string { return "lister" }

func (l *lister) Decide(v sim.View, _ *sim.Plan) {
	if l.list != "" {
		return
	}
	var f ondemand.Frontier
	f.Of(v, 0, 0)
	dice := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		free, usd := make([]int, v.Pools()), make([]float64, v.Pools())
		for p := range free {
			free[p], usd[p] = dice.IntN(12), [3]float64{0.1, 1, 0.1 + 8*dice.Float64()}[dice.IntN(3)]
		}
		clusters, corners := f.Clusters(v, free, usd)
		l.list += fmt.Sprintf("%+v %v\n", clusters, corners)
	}
}

// The clusters of a policyutil.SlowestModel are those of a search that looks at every window, to the last bit.
func TestFrontierOfTheSlowest(t *testing.T) {
	laws := []parallel.Law{{Scaling: parallel.Weak, Alone: 0.3, Latency: 0.01}, {Scaling: parallel.Weak, Alone: 0.3, Latency: 0.01},
		{Scaling: parallel.Weak, Alone: 0.2, Exchange: 0.1}, {Scaling: parallel.Strong, Alone: 1, Exchange: 0.02}}
	m, err := parallel.New(parallel.Job{Samples: 1e9, Batch: 8, Min: 2, Max: 30, Restart: time.Minute, Resize: time.Second}, laws)
	if err != nil {
		t.Fatal(err)
	}
	var lists [2]string
	for k, model := range [2]sim.Model{m, hidden{m, m, m}} {
		var traces []sim.Trace
		for p := range laws {
			traces = append(traces, sim.Trace{Pool: sim.Pool{Name: fmt.Sprint("pool ", p), Quota: 12}, Prices: []sim.Price{{USD: 1}}})
		}
		market, err := sim.NewMarket(sim.At(1e5), traces)
		if err != nil {
			t.Fatal(err)
		}
		l := new(lister)
		w, err := sim.New(sim.Config{Market: market, Policy: l, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		w.Run()
		lists[k] = l.list
	}
	if lists[0] == "" || lists[0] != lists[1] {
		t.Errorf("clusters\n%.2000s\nof every window\n%.2000s", lists[0], lists[1])
	}
}
