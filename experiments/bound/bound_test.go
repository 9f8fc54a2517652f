package bound_test

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
	_ "github.com/marigram/marigram/papers/extensions"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// asp is spotDNN's ResNet-110 for pools of some types.
func asp(t testing.TB, begin float64, types ...string) *ps.ASP {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	coef.BeginLoss = begin
	m, err := ps.NewASP(profile, coef, ps.FormArtifact, types)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// market makes pools with constant prices and room for their quotas.
func market(t testing.TB, hours float64, pools ...sim.Trace) *sim.Market {
	t.Helper()
	m, err := sim.NewMarket(sim.At(3600*hours), pools)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func pool(name string, quota int, usd float64) sim.Trace {
	return sim.Trace{Pool: sim.Pool{Name: name, InstanceType: name, Quota: quota}, Prices: []sim.Price{{USD: usd}}}
}

// Where one instance is all that there is, the bound is its price for the time that the
// job takes on it, and the run costs that.
func TestOneInstance(t *testing.T) {
	model := asp(t, 4.6, "p3.2xlarge")
	job := sim.Job{Model: model, ParameterServers: 1, ParameterServerPrice: 0.192, Objective: sim.Objective{Loss: 0.8, Within: 4 * time.Hour}}
	c := sim.Config{Market: market(t, 5, pool("p3.2xlarge", 1, 2)), Jobs: []sim.Job{job}, Policy: &policies.Fixed{}}
	b, err := bound.Hindsight(c)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	total := w.Run()
	usd, seconds := total.Bill.Total(), total.Jobs[0].Elapsed.Seconds()
	if !(b.USD <= usd && b.USD > usd*(1-3e-4)) || !(b.Seconds <= seconds && b.Seconds > seconds*(1-3e-4)) {
		t.Errorf("%+v, the run costs %v USD and takes %v s", b, usd, seconds)
	}
	c.Jobs[0].Objective.Within = time.Duration((b.Seconds - 1) * 1e9)
	if b, err = bound.Hindsight(c); err != nil || b.Possible() {
		t.Errorf("a second less than it takes: %+v, %v", b, err)
	}
}

// oneType makes a market of spot in two zones, whose prices and rooms change at random, and
// on demand, of one type.
func oneType(t testing.TB, seed uint64) *sim.Market {
	draw := func(k int) float64 { return sim.Rand{Seed: seed}.Uniform(sim.PurposeUser, 1, uint64(k)) }
	var hs []sim.Trace
	for z := range 2 {
		h := sim.Trace{Pool: sim.Pool{Name: string(rune('a' + z)), InstanceType: "t", Quota: 6, Notice: 2 * time.Minute,
			Boot: sim.Boot{Median: 90 * time.Second, Sigma: 0.2 * float64(seed%2)}}}
		for at, k := 0.0, 1000*z; at < 8*3600; k++ {
			h.Prices = append(h.Prices, sim.Price{At: sim.At(at), USD: 0.5 + draw(3*k)})
			h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(at), N: int(8 * draw(3*k+1))})
			at += 60 + 3000*draw(3*k+2)
		}
		hs = append(hs, h)
	}
	expensive := pool("dear", 9, 3)
	expensive.OnDemand, expensive.InstanceType, expensive.Boot = true, "t", sim.Boot{Median: 90 * time.Second}
	return market(t, 8, append(hs, expensive)...)
}

// wholeJobs are jobs of n samples on instances of one type.
func wholeJobs(t testing.TB) map[policies.Needs]sim.Job {
	t.Helper()
	law := parallel.Law{Scaling: parallel.Strong, Alone: 7, Exchange: 0.4, Latency: 0.05}
	ddp, err := parallel.New(parallel.Job{Samples: 1.5e6, Batch: 512, Min: 1, Max: 12, Restart: time.Minute, Resize: 20 * time.Second,
		Save: 10 * time.Second}, []parallel.Law{law, law, law})
	if err != nil {
		t.Fatal(err)
	}
	out := map[policies.Needs]sim.Job{policies.WorkerModels: {Model: ddp, Objective: sim.Objective{Within: 4 * time.Hour}},
		policies.OneType: {Model: ddp, Objective: sim.Objective{Within: 4 * time.Hour}}}
	for needs, loss := range map[policies.Needs]pipeline.LossRule{policies.RestartingPipelines: pipeline.LossRestarts,
		policies.CoveredPipelines: pipeline.LossCovered, policies.ReplicatedPipelines: pipeline.LossReinstantiated} {
		m, err := pipeline.New(20000, 16, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 1}, {Pipelines: 2, Stages: 2, SamplesPerS: 1.9},
			{Pipelines: 3, Stages: 3, SamplesPerS: 3.6}}, pipeline.Recovery{Loss: loss, Restart: time.Minute, Reconfigure: 20 * time.Second,
			Save: 8 * time.Second, Slowdown: 1.5})
		if err != nil {
			t.Fatal(err)
		}
		out[needs] = sim.Job{Model: m, Objective: sim.Objective{Within: 6 * time.Hour}}
	}
	return out
}

func TestNoRunOfWholeJobsBeatsTheBound(t *testing.T) {
	met := 0
	for needs, job := range wholeJobs(t) {
		for seed := range seeds(1) {
			c := sim.Config{Market: oneType(t, seed), Jobs: []sim.Job{job}, Seed: seed, Billing: billing(seed)}
			b, err := bound.Hindsight(c)
			if err != nil {
				t.Fatal(err)
			}
			for _, info := range triedOn(needs) {
				c.Policy = info.Defaults()
				w, err := sim.New(c)
				if err != nil {
					t.Fatal(err)
				}
				total := w.Run()
				ended := total.Jobs[0]
				if !ended.Finished || ended.Elapsed > job.Objective.Within {
					continue
				}
				met++
				usd := total.Bill.Total()
				if b.Contradicts(usd, ended.Elapsed.Seconds()) {
					t.Errorf("%s, seed %d: %v USD after %v s, the bound is %+v",
						info.Name, seed, usd, ended.Elapsed.Seconds(), b)
				}
			}
		}
	}
	if met == 0 {
		t.Error("no run met its objective")
	}
	t.Logf("%d met runs", met)
}

// triedOn returns the policies that are tried on whole jobs with some needs: those for any model on one kind of jobs
// alone, unless tests are full.
func triedOn(needs policies.Needs) (tried []policies.Info) {
	anyModel := needs == policies.RestartingPipelines || testutil.Size(0, 1) == 1
	for _, info := range policies.List() {
		if info.Needs == needs || info.Needs.ForAnyModel() && anyModel {
			tried = append(tried, info)
		}
	}
	return tried
}

// A higher capacity, a lower price and a later deadline never raise the bound.
func TestMoreNeverRaisesTheBound(t *testing.T) {
	check := near.Count(t)
	job := wholeJobs(t)[policies.RestartingPipelines]
	for seed := range uint64(40) {
		price := 0.2 + float64(seed)/40
		usd := func(quota int, price float64, within time.Duration) float64 {
			h := pool("t", quota, price)
			job.Objective.Within = within
			b, err := bound.Hindsight(sim.Config{Market: market(t, 8, h), Jobs: []sim.Job{job}, Billing: sim.PerSecond()})
			if err != nil {
				t.Fatal(err)
			}
			return b.USD
		}
		base := usd(4, price, 4*time.Hour)
		for what, more := range map[string]float64{"capacity": usd(6, price, 4*time.Hour), "price": usd(4, price*0.9, 4*time.Hour),
			"time": usd(4, price, 5*time.Hour)} {
			if check.Above(more, base*(1+1e-9)) {
				t.Errorf("more %s: %v, before %v", what, more, base)
			}
		}
	}
}

// Where neighbours do not cover losses, the model's speed with a place that nobody holds
// means nothing: it is infinite, and the bound does not use it.
func TestNoPlacesWithoutInstances(t *testing.T) {
	check := near.Count(t)
	m, err := pipeline.New(20000, 16, []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 1}, {Pipelines: 2, Stages: 2, SamplesPerS: 1.9}},
		pipeline.Recovery{Loss: pipeline.LossRestarts, Restart: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bound.Hindsight(sim.Config{Market: market(t, 8, pool("t", 4, 1)), Jobs: []sim.Job{{Model: m, Objective: sim.Objective{Within: 8 * time.Hour}}}})
	if want := 2 * 20000 / 3600.0; err != nil || check.Off(b.USD, want, 1e-6) || check.Off(b.Seconds, 20000/1.9, 1e-3) {
		t.Errorf("%+v, %v, by hand %v USD", b, err, want)
	}
}

func TestRefusals(t *testing.T) {
	job := wholeJobs(t)[policies.RestartingPipelines]
	good := sim.Config{Market: market(t, 8, pool("t", 4, 1)), Jobs: []sim.Job{job}}
	for says, change := range map[string]func(*sim.Config){
		"2 jobs":      func(c *sim.Config) { c.Jobs = []sim.Job{job, job} },
		"first hours": func(c *sim.Config) { c.Billing.FreeFirstHour = true },
		"has commitments": func(c *sim.Config) {
			h := pool("t", 4, 1)
			h.Commitments = []sim.Commitment{{Instances: 1, USDPerHour: 1, Until: sim.Never}}
			c.Market = market(t, 8, h)
		},
		"is neither Separable":  func(c *sim.Config) { c.Jobs = []sim.Job{{Model: struct{ sim.Model }{job.Model}}} },
		"the bound is for one":  func(c *sim.Config) { c.Market = market(t, 8, pool("t", 4, 1), pool("u", 4, 1)) },
		"expected at most 4096": func(c *sim.Config) { c.Market = market(t, 8, pool("t", 5000, 1)) },
	} {
		c := good
		change(&c)
		if _, err := bound.Hindsight(c); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", says, err)
		}
	}
}
