package policies_test

import (
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// Four workers where a parameter server serves two: the second server is there
// after the warm-up, and no third, which would serve nobody.
func TestCMDAREAddsAServer(t *testing.T) {
	check := near.Count(t)
	h := sim.Trace{Pool: sim.Pool{Name: "p", InstanceType: "p", Quota: 4}, Prices: []sim.Price{{USD: 1}}}
	market, err := sim.NewMarket(sim.At(1e6), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	for served, x := range map[int]struct{ seconds, serverUSD float64 }{
		0: {1000, 1000}, // all are served by the one: 4000 s of work by 4
		2: {30 + 985, 30 + 2*985},
	} {
		policy := &policies.CMDARE{Instances: 4, Warmup: 30 * time.Second, Threshold: 0.067, MaxServers: 3,
			SaveEvery: time.Minute}
		w, err := sim.New(sim.Config{Market: market, Policy: policy,
			Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1, Served: served},
				Objective: sim.Objective{Loss: simtest.LossAt(4000), Within: time.Hour}, ParameterServers: 1,
				ParameterServerPrice: 3600}}})
		if err != nil {
			t.Fatal(err)
		}
		r := w.Run()
		if got := r.Jobs[0].Elapsed.Seconds(); check.Outside(got, x.seconds, x.seconds+1e-5) {
			t.Errorf("served %d: %v s, expected %v", served, got, x.seconds)
		}
		if got := r.Bill.ParameterServers; check.Outside(got, x.serverUSD, x.serverUSD+1e-4) {
			t.Errorf("served %d: %v USD of servers, expected %v", served, got, x.serverUSD)
		}
	}
}
