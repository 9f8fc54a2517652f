package parcae

import (
	"time"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// world is how the traces of Parcae's evaluation are simulated.
type world struct {
	Instances  int     `json:"instances"`
	IntervalS  float64 `json:"interval_s"`
	NoticeS    float64 `json:"notice_s"`
	BootS      float64 `json:"boot_s"`
	USDPerH    float64 `json:"usd_per_hour"`        // of an instance
	ServerUSDH float64 `json:"server_usd_per_hour"` // of a parameter server
	Seeds      int     `json:"seeds"`
}

// market returns the numbers of instances, interval by interval, as a market.
func (w *world) market(counts []int) (*sim.Market, error) {
	h := sim.Trace{
		Pool: sim.Pool{Name: "p3", Quota: w.Instances, Notice: papers.Seconds(w.NoticeS),
			Boot: sim.Boot{Median: papers.Seconds(w.BootS)}},
		Prices: []sim.Price{{USD: w.USDPerH}},
	}
	for i, n := range counts {
		at := sim.Time(0).Add(time.Duration(i) * papers.Seconds(w.IntervalS))
		h.Capacity = append(h.Capacity, sim.Capacity{At: at, N: n})
	}
	return sim.NewMarket(sim.Time(0).Add(time.Duration(len(counts))*papers.Seconds(w.IntervalS)), []sim.Trace{h})
}

// run simulates a policy from one interval until before another and returns what
// it trains and what it costs, on the mean.
func (w *world) run(m *sim.Market, model sim.Model, policy func() (sim.Policy, error), first, end int) (
	samples, usd float64, err error) {
	var world sim.World
	for seed := range w.Seeds {
		p, err := policy()
		if err != nil {
			return 0, 0, err
		}
		if oracle, ok := p.(policies.Oracle); ok {
			oracle.SetMarket(m)
		}
		span := time.Duration(end-first) * papers.Seconds(w.IntervalS)
		err = world.Reset(sim.Config{Market: m, Policy: p, Seed: uint64(seed),
			Start: sim.Time(0).Add(time.Duration(first) * papers.Seconds(w.IntervalS)), Horizon: span,
			Jobs:    []sim.Job{{Model: model, Objective: sim.Objective{Within: span}, ParameterServerPrice: w.ServerUSDH}},
			Billing: sim.PerSecond()})
		if err != nil {
			return 0, 0, err
		}
		t := world.Run()
		samples += t.Jobs[0].Samples / float64(w.Seeds)
		usd += t.Bill.Total() / float64(w.Seeds)
	}
	return samples, usd, nil
}

const unending = 1e15 // samples

// migrating returns a network of Parcae as a job that never ends.
func migrating(network string) (*pipeline.Migrating, error) {
	costs, err := pipeline.LoadParcae(network)
	if err != nil {
		return nil, err
	}
	return pipeline.NewMigrating(unending, costs, 0, 0)
}
