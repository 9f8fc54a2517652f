package simtest_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// whim asks for anything at any time, as a function of what it sees.
type whim struct{ draws sim.Rand }

func (whim) Name() string { return "whim" }

func (w whim) Decide(v sim.View, plan *sim.Plan) {
	draw := func(k int) float64 { return w.draws.Uniform(sim.PurposeUser, uint64(v.Now()), uint64(k)) }
	for p := range v.Pools() {
		left, name := v.Pool(p).Quota, int(sim.NameEntity(v.Pool(p).Name))
		for j := range v.Jobs() {
			if !v.Job(j).Active() {
				clear(plan.Jobs[j].Hold)
				continue
			}
			if draw(name+100*j) < 0.3 {
				plan.Jobs[j].Hold[p] = int(draw(name+100*j+50) * float64(left+1))
			}
			plan.Jobs[j].Hold[p] = min(plan.Jobs[j].Hold[p], left)
			left -= plan.Jobs[j].Hold[p]
			plan.Jobs[j].Save = draw(1000+j) < 0.1
			if draw(1100+j) < 0.2 {
				plan.Jobs[j].Pipelines = int(3 * draw(1200+j))
			}
		}
	}
	if draw(2000) < 0.7 {
		plan.WakeIn(time.Duration(1 + draw(2001)*900e9))
	}
}

func TestSuiteOnWhims(t *testing.T) {
	for seed := range uint64(4) {
		simtest.Suite(t, func(*sim.Market) sim.Policy { return whim{sim.Rand{Seed: seed}} })
	}
}

// Nothing is drawn, counted or chosen by the number of a pool.
func TestUnusedPools(t *testing.T) {
	for seed := range uint64(20) {
		for _, policy := range []simtest.NewPolicy{
			func(*sim.Market) sim.Policy { return whim{sim.Rand{Seed: seed}} },
			func(*sim.Market) sim.Policy { return pipedWhim{whim{sim.Rand{Seed: seed}}} },
		} {
			for _, jobs := range [][]sim.Job{simtest.Jobs(1), simtest.Jobs(3), pipedJobs(2)} {
				if err := simtest.UnusedPools(policy, seed, jobs); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
	}
	numbered := func(*sim.Market) sim.Policy { return &moody{} }
	if simtest.UnusedPools(numbered, 1, simtest.Jobs(1)) == nil {
		t.Error("a policy that chooses pools by number passes")
	}
}

// moody decides by how often it was asked: a state that a fork does not have.
type moody struct{ asked int }

func (*moody) Name() string { return "moody" }

func (m *moody) Decide(v sim.View, plan *sim.Plan) {
	m.asked++
	plan.Jobs[0].Hold[m.asked%2] = 1 + m.asked%3
	plan.WakeIn(5 * time.Minute)
}

func TestForksCatchHiddenState(t *testing.T) {
	if err := simtest.Forks(func(*sim.Market) sim.Policy { return &moody{} }, 1, simtest.Jobs(1)); err == nil {
		t.Error("a policy with a memory passes as one without")
	}
}

// idleWaker asks to be woken at once, for ever, from an hour on.
type idleWaker struct{}

func (idleWaker) Name() string { return "restless" }

func (idleWaker) Decide(v sim.View, plan *sim.Plan) {
	plan.SetReason("now")
	if since := v.Now().Sub(v.Start()); since < time.Hour {
		plan.WakeIn(time.Hour - since)
		return
	}
	plan.WakeIn(1)
}

// The suite ends with an error that says which policy never rests, and when.
func TestIdleWakes(t *testing.T) {
	err := simtest.Forks(func(*sim.Market) sim.Policy { return idleWaker{} }, 1, simtest.Jobs(1))
	for _, part := range []string{"policy restless", "10000th time in a row", "1h0m0.01s after the start", `reason "now"`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v, expected %s", err, part)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	m := simtest.Market(1, time.Hour, sim.Never)
	good := sim.Config{Market: m, Jobs: simtest.Jobs(1), Policy: whim{}}
	for want, change := range map[string]func(*sim.Config){
		"no market":             func(c *sim.Config) { c.Market = nil },
		"no policy":             func(c *sim.Config) { c.Policy = nil },
		"no jobs":               func(c *sim.Config) { c.Jobs = nil },
		"starts":                func(c *sim.Config) { c.Start = m.End() },
		"horizon":               func(c *sim.Config) { c.Horizon = -1 },
		"no model":              func(c *sim.Config) { c.Jobs[0].Model = nil },
		"objective time":        func(c *sim.Config) { c.Jobs[0].Objective.Within = 0 },
		"objective loss NaN":    func(c *sim.Config) { c.Jobs[0].Objective.Loss = math.NaN() },
		"below what the model":  func(c *sim.Config) { c.Jobs[0].Objective.Loss = 0 },
		"parameter servers -1":  func(c *sim.Config) { c.Jobs[0].ParameterServers = -1 },
		"the model needs one":   func(c *sim.Config) { c.Jobs[0].Model, c.Jobs[0].ParameterServers = needy{}, 0 },
		"submitted -1ns":        func(c *sim.Config) { c.Jobs[0].Submit = -1 },
		"billing increment -1n": func(c *sim.Config) { c.Billing.Increment = -1 },
	} {
		c := good
		c.Jobs = simtest.Jobs(1)
		change(&c)
		if _, err := sim.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

// piped trains twice as fast with half the stages.
type piped struct{ simtest.Linear }

func (m piped) Rate(l *sim.Layout) sim.Rate {
	p := m.Linear.Rate(l)
	p.Progress /= float64(max(l.Stages, 1))
	return p
}

func (m piped) Change(c *sim.Change) sim.Pause {
	if c.From.Stages != c.To.Stages {
		return sim.Pause{Stall: time.Minute, As: sim.Reconfiguring}
	}
	return sim.Pause{}
}

// reshaper lays the job out in 1 pipeline of 2 stages, and from minute 10 in 2 of 1.
type reshaper struct{}

func (reshaper) Name() string { return "reshaper" }

func (reshaper) Decide(v sim.View, plan *sim.Plan) {
	job := &plan.Jobs[0]
	job.Hold[0], job.Pipelines, job.Stages = 2, 1, 2
	if v.Now() >= sim.At(600) {
		job.Pipelines, job.Stages = 2, 1
	} else {
		plan.WakeIn(10 * time.Minute)
	}
}

// Two workers: 10 minutes at half speed are 600 of 3000; a minute of
// reconfiguring; the rest at full speed takes 20 minutes.
func TestLayoutChanges(t *testing.T) {
	m, err := sim.NewMarket(sim.At(7200), []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 2}, Prices: []sim.Price{{USD: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Policy: reshaper{}, Jobs: []sim.Job{{Model: piped{simtest.Linear{PerWorker: 1}},
		Objective: sim.Objective{Loss: simtest.LossAt(3000), Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	job := w.Run().Jobs[0]
	if !job.Finished || job.Elapsed.Round(time.Millisecond) != 31*time.Minute || job.Activities[sim.Reconfiguring].Span() != 2*time.Minute {
		t.Errorf("%+v", job)
	}
}

// Without notices victims are random as well: over 60 falls of 10 to 9, every slot is
// taken now and then.
func TestVictimsWithoutNoticeAreRandom(t *testing.T) {
	h := sim.Trace{Pool: sim.Pool{Name: "a", Quota: 10}, Prices: []sim.Price{{USD: 1}}}
	for i := range 60 {
		h.Capacity = append(h.Capacity, sim.Capacity{At: sim.At(float64(200 * i)), N: 10}, sim.Capacity{At: sim.At(float64(200*i + 100)), N: 9})
	}
	m, err := sim.NewMarket(sim.At(12000), []sim.Trace{h})
	if err != nil {
		t.Fatal(err)
	}
	// Two jobs hold five each: each loses about half of the 60 at random.
	losses := func(seed uint64) int64 {
		w, err := sim.New(sim.Config{Market: m, Seed: seed, Policy: halves{}, Jobs: []sim.Job{
			{Model: simtest.Linear{PerWorker: 1, Stall: time.Second}, Objective: sim.Objective{Loss: simtest.LossAt(1e9), Within: time.Hour}},
			{Model: simtest.Linear{PerWorker: 1, Stall: time.Second}, Objective: sim.Objective{Loss: simtest.LossAt(1e9), Within: time.Hour}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		r := w.Run()
		return int64(r.Jobs[0].Activities[sim.Restoring].Span() / (5 * time.Second))
	}
	for seed := range uint64(3) {
		if n := losses(seed); n < 10 || n > 50 {
			t.Errorf("seed %d: job 0 pays for %d of 60", seed, n)
		}
	}
}

// halves holds five for each of two jobs.
type halves struct{}

func (halves) Name() string { return "halves" }

func (halves) Decide(_ sim.View, plan *sim.Plan) {
	plan.Jobs[0].Hold[0], plan.Jobs[1].Hold[0] = 5, 5
}

// saver asks for a save at every decision, with a model whose saves take no time.
type saver struct{ asked *int }

func (saver) Name() string { return "saver" }

func (s saver) Decide(_ sim.View, plan *sim.Plan) {
	*s.asked++
	plan.Jobs[0].Hold[0], plan.Jobs[0].Save = 1, true
}

func TestFreeSavesDoNotAskAgain(t *testing.T) {
	asked := 0
	w, err := sim.New(sim.Config{Market: simtest.Market(1, time.Hour, sim.Never), Policy: saver{&asked},
		Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 1}, Objective: sim.Objective{Loss: simtest.LossAt(600), Within: time.Hour}}}})
	if err != nil {
		t.Fatal(err)
	}
	w.Run()
	if asked > 100 {
		t.Errorf("asked %d times", asked)
	}
}

// watcher wants to be asked at every price and holds what is cheap.
type watcher struct{}

func (watcher) Name() string { return "watcher" }

// Traits says what the policy is.
func (watcher) Traits() sim.Traits {
	return sim.Traits{WatchesPrices: true}
}

func (watcher) Decide(v sim.View, plan *sim.Plan) {
	for j := range v.Jobs() {
		for p := range v.Pools() {
			plan.Jobs[j].Hold[p] = 0
			if v.Job(j).Active() && v.Price(p) < 0.31 {
				plan.Jobs[j].Hold[p] = v.Pool(p).Quota / v.Jobs()
			}
		}
	}
}

func TestSuiteOnAPriceWatcher(t *testing.T) {
	simtest.Suite(t, func(*sim.Market) sim.Policy { return watcher{} })
}

// A fork under a policy that watches prices watches them, whatever its parent did.
func TestForkWatchesPrices(t *testing.T) {
	m := simtest.Market(1, 6*time.Hour, sim.Never)
	c := sim.Config{Market: m, Policy: idler{}, Jobs: simtest.Jobs(1), Seed: 1}
	parent, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	parent.RunUntil(sim.At(60))
	var fork sim.World
	parent.Fork(&fork, watcher{})
	if n := fork.Run().Decisions; n < 20 {
		t.Errorf("the fork was asked %d times", n)
	}
}

type idler struct{}

func (idler) Name() string { return "idler" }

func (idler) Decide(sim.View, *sim.Plan) {}

// needy cannot train without a parameter server.
type needy struct{ simtest.Linear }

func (needy) NeedsServers() bool { return true }
