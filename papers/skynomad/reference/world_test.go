package reference

import (
	"flag"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/papers/skynomad/uniform"
	plan "github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// With -args -twins 3000 each policy is compared with its replay in 3,000 runs.
var twinSeeds = flag.Uint64("twins", 60, "runs in which each policy of the world is compared with its replay")

// between is the price of moves between regions.
type between float64

func (b between) Move(_ *sim.Job, from, to *sim.Pool) sim.Move {
	if from.Region == to.Region {
		return sim.Move{}
	}
	return sim.Move{USD: float64(b)}
}

// twins are zones of the replay and the same as pools of the world, with on demand in each, and a job.
type twins struct {
	zones []*Zone
	pools []sim.Trace
	job   Job
}

const (
	twinTick  = 600.0
	twinPolls = 220
	twinStart = 3
)

// draw makes zones whose capacity and prices change at polls, and boots of one or two polls.
func draw(seed uint64, prices bool) *twins {
	rand, n := sim.Rand{Seed: seed}, uint64(0)
	next := func() float64 { n++; return rand.Uniform(sim.PurposeUser, 1, n) }
	boot := float64(1+seed%2) * twinTick
	x := &twins{}
	for _, name := range []string{"us-east1-b", "us-east1-c", "us-west1-a", "asia-south2-b"} {
		z := &Zone{Name: name, OnDemandUSD: 3}
		h := sim.Trace{Pool: sim.Pool{Name: name, Region: z.region(), Zone: name, Quota: 1, Boot: sim.Boot{Median: time.Duration(boot * 1e9)}}}
		free, usd, stays := int(2*next()), 0.5+2*next(), 0.8+0.19*next()
		for i := range twinStart + twinPolls {
			if next() > stays {
				free = 1 - free
			}
			if prices && next() > 0.9 {
				usd = 0.5 + 2*next()
			}
			z.Available, z.SpotUSD = append(z.Available, free > 0), append(z.SpotUSD, usd)
			if at := sim.At(float64(i-twinStart) * twinTick); i >= twinStart {
				h.Capacity, h.Prices = append(h.Capacity, sim.Capacity{At: at, N: free}), append(h.Prices, sim.Price{At: at, USD: usd})
			}
		}
		expensive := h
		expensive.Name, expensive.OnDemand, expensive.Capacity, expensive.Prices = "on-demand/"+name, true, nil, []sim.Price{{USD: 3}}
		x.zones, x.pools = append(x.zones, z), append(x.pools, h, expensive)
	}
	ticks := 60 + math.Floor(60*next()) // the job ends 307 s before a poll, so that no rounding decides
	x.job = Job{Job: plan.Job{TickS: twinTick, WorkS: ticks*twinTick - twinEarly, DeadlineS: math.Floor(ticks*(1.1+0.6*next())) * twinTick,
		RestartS: boot, CheckpointGB: 50}, Start: twinStart}
	return x
}

const twinEarly = 307.0

// run is a run of the world. No work is lost, and no notice comes.
func (x *twins) run(t *testing.T, p sim.Policy) *sim.Totals {
	m, err := sim.NewMarket(sim.At(twinPolls*twinTick), x.pools)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Policy: p, Moves: between(1), Billing: sim.Billing{Minimum: time.Minute}, Jobs: []sim.Job{{
		Model: simtest.Linear{PerWorker: 1, Min: 1}, Objective: sim.Objective{Loss: simtest.LossAt(x.job.WorkS), Within: time.Duration(x.job.DeadlineS * 1e9)}}}})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}

// The policies of the world and the replays of the public code do the same where the world is
// that of the code.
func TestUniformProgressInTheWorld(t *testing.T) {
	check := near.Count(t)
	const poll = 600e9
	for _, p := range []struct {
		replay string
		policy func() sim.Policy
		prices bool // move
	}{
		{"multi_region_rc_cr_threshold", func() sim.Policy { return &uniform.Switching{Instances: 1, Poll: poll, Listed: true} }, true},
		{"multi_region_rc_cr_threshold_eager_failover", func() sim.Policy { return &uniform.Switching{Instances: 1, Poll: poll} }, true},
		{"multi_region_availability_probe_simple", func() sim.Policy { return &uniform.Available{Instances: 1, Poll: poll, Probe: 7200e9} }, true},
		{"multi_region_probe_cost_ratio", func() sim.Policy { return &uniform.AvailablePerUSD{Instances: 1, Poll: poll, Probe: 3600e9} }, false},
	} {
		moves := 0 // runs in which they are compared, too
		for seed := range *twinSeeds {
			x := draw(seed, p.prices)
			want, got := x.replayed(t, p.replay), x.run(t, p.policy())
			usd, finish := got.Bill.Total()-got.Bill.Transfers, got.Jobs[0].Elapsed.Seconds()
			if check.Off(usd, want.usd, 1e-6) || check.Off(finish, want.finish, 1e-5) || got.Moves != want.moves && !want.booting {
				t.Fatalf("%s, seed %d: %v USD, %d moves, %v s; the replay has %+v", p.replay, seed, usd, got.Moves, finish, want)
			}
			if !want.booting {
				moves++
			}
		}
		if moves < 5 {
			t.Errorf("%s: moves are compared in %d runs only", p.replay, moves)
		}
		t.Logf("%s: %d runs, moves compared in %d", p.replay, *twinSeeds, moves)
	}
}

// outcome is what a replay comes to by the world's count.
type outcome struct {
	usd    float64
	moves  int64 // between regions
	finish float64
	// booting says that an instance was lost or left before it did any work: when its boot ended the
	// state was there in one of the two, and not in the other.
	booting bool
}

// replayed replays the job. In the world every probe is paid; in the replay not one of a zone where the job
// has an instance on demand.
func (w *twins) replayed(t *testing.T, name string) (x outcome) {
	zone := func(holds string) *Zone {
		v, err := strconv.Atoi(holds[1:])
		if err != nil {
			t.Fatal(err)
		}
		return w.zones[v]
	}
	held, ticks, done, extra := "-", 0, 0.0, 0.0
	var at *Zone
	worked := func() {
		if z := zone(held); at == nil || z.region() != at.region() {
			if at != nil {
				x.moves++
			}
			at = z
		}
	}
	r, err := Run(name, Options{}, w.job, w.zones, func(k *Tick) {
		if k.DoneS > done {
			worked()
		} else if held != "-" && k.Holds != held {
			x.booting = true
		}
		done, held, ticks = k.DoneS, k.Holds, ticks+1
		for _, a := range k.Actions {
			if a[0] == 'P' && held == "d"+a[1:] {
				extra += zone(a).SpotUSD[w.job.Start+k.Tick] / 60
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	worked()
	usd := 3.0
	if held[0] == 's' {
		usd = zone(held).SpotUSD[w.job.Start+ticks-1]
	}
	x.usd, x.finish = r.FullUSD-r.EgressUSD+extra-usd*twinEarly/3600, r.FinishS-twinEarly
	return x
}
