package mdp_test

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/sim"
)

var (
	roomsMarkets = flag.Int("rooms", 0, "markets with partial rooms of TestRooms; 0: none")
	roomsSeed    = flag.Uint64("rooms-seed", 1, "seed that draws them")
	roomsRuns    = flag.Int("rooms-runs", 10, "runs of each policy on each of them, and as many that choose the simple policy")
	roomsOnly    = flag.Int("rooms-only", 0, "the number of the market that is run, from 1; 0: all")
)

// rooms is how many instances a pool has room for: a number that stays for spans of an exponential distribution. After
// one it is more or less by one, or drawn anew: none, all that there can be, or any number between.
type rooms struct {
	hours       float64 // mean span
	most        int     // that there can be
	empty, full float64 // shares of the draws
	steps       float64 // share of the spans after which it is more or less by one
}

// of draws the rooms of a pool.
func (r *rooms) of(seed, stream uint64, quota int, hours float64) (all []sim.Capacity) {
	d := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+906, stream)
	n := uint64(0)
	real := func() float64 { n++; return d.Uniform(n) }
	most := min(r.most, quota)
	room := -1
	for at := 0.0; at < hours; {
		u := real()
		switch {
		case room >= 0 && real() < r.steps:
			if u < 0.5 {
				room = max(room-1, 0)
			} else {
				room = min(room+1, most)
			}
		case u < r.empty:
			room = 0
		case u < r.empty+r.full:
			room = most
		default:
			room = 1 + int(float64(most)*(u-r.empty-r.full)/(1-r.empty-r.full))
		}
		all = append(all, sim.Capacity{At: sim.At(3600 * at), N: room})
		at += 0.01 - r.hours*math.Log(1-real())
	}
	return all
}

// roomsMarket is a kind of job, a market and a deadline, in times of the soonest end on demand.
type roomsMarket struct {
	kind
	law
	times float64
}

// drawRooms draws markets: one to four zones, a minimum of 1, 2 or 4 of 4 to 8 instances, data-parallel jobs and
// pipelines, restarts of 1 to 15 minutes, and deadlines of 1.3, 2 and 4 times the soonest end on demand.
func drawRooms(seed uint64, n int) (all []roomsMarket) {
	for i := range n {
		d := sim.Rand{Seed: seed}.Stream(sim.PurposeUser+907, uint64(i))
		k := uint64(0)
		real := func() float64 { k++; return d.Uniform(k) }
		m := roomsMarket{times: []float64{1.3, 2, 4}[int(3*real())]}
		m.kind = kind{name: "dp", types: []string{"p3.2xlarge"}, usd: []float64{3.06}, quota: []int{4 + int(5*real())}, zones: 1 + i%4}
		if i%3 == 2 {
			m.kind.name = "pipes"
		}
		m.minimum = 1 << int(3*real())
		m.restart = time.Duration(60 * math.Pow(15, real()) * 1e9).Round(time.Second)
		r := &rooms{hours: 0.2 * math.Pow(40, real()), most: 1 + int(float64(m.quota[0])*real()), steps: 0.5 * real()}
		r.empty = 0.6 * real()
		r.full = (1 - r.empty) * real()
		m.law = law{name: fmt.Sprintf("rooms %d", i+1), rooms: r, price: 0.25 + 0.3*real(), least: 0.2, walks: true,
			boot: sim.Boot{Median: time.Duration(60 * math.Pow(5, real()) * 1e9).Round(time.Second), Sigma: 0.3}}
		all = append(all, m)
	}
	return all
}

func (m *roomsMarket) String() string {
	return fmt.Sprintf("%s, %s x%v, %d zones of %d, least %d, restart %v, boot %v, rooms %+v", m.law.name, m.kind.name, m.times, m.zones,
		m.quota[0], m.minimum, m.restart, m.law.boot.Median, *m.rooms)
}

// comparison is mdp beside the simple policy that other seeds chose.
type comparison struct {
	share          float64 // of that policy's cost
	late, ofChosen int     // runs
	cell           cellOf  // of all policies
	costs, verdict string
}

// beside runs mdp, the last of some policies, and the others, and chooses one of these on other seeds: from a number on
// the one that costs least of those never late.
func (m *roomsMarket) beside(t *testing.T, names []string, from int) comparison {
	t.Helper()
	mdp := len(names) - 1
	simple := m.cellOf(t, &m.law, names[:mdp], m.times, 1_000_000)
	chosen := from
	for p := from; p < mdp; p++ {
		if simple.late[p] == 0 && simple.over[p] < simple.over[chosen] {
			chosen = p
		}
	}
	c := m.cellOf(t, &m.law, names, m.times, 1)
	out := comparison{share: c.over[mdp] / c.over[chosen], late: c.late[mdp], ofChosen: c.late[chosen], cell: c}
	for p, name := range names {
		ms := c.took[p].Seconds() * 1000 / float64(*marketRuns)
		out.costs += fmt.Sprintf(" %s %.3f (%d late, %.0f ms)", name, c.over[p], c.late[p], ms)
	}
	out.verdict = fmt.Sprintf("mdp costs %.3f of %s, chosen on other seeds", out.share, names[chosen])
	return out
}

// What mdp costs on markets whose pools often have room for some instances and not for all, beside the simple policy
// that is the best of those never late on other seeds of the same market.
func TestRooms(t *testing.T) {
	if *roomsMarkets == 0 {
		t.Skip("no -rooms")
	}
	sum := 0.0
	count := 0
	for i, m := range drawRooms(*roomsSeed, *roomsMarkets) {
		if *roomsOnly > 0 && i+1 != *roomsOnly {
			continue
		}
		names := strings.Split("ondemand,safe:reactive,spotdnn-safe,safe:checkpoint,uniform-progress,mdp", ",")
		if m.kind.name == "pipes" {
			names = strings.Split("ondemand,safe:varuna,safe:mixed,safe:checkpoint,uniform-progress,mdp", ",")
		}
		*marketRuns = *roomsRuns
		c := m.beside(t, names, 0)
		t.Logf("%v\n  %s\n  %s", &m, c.costs, c.verdict)
		if c.late > 0 {
			t.Errorf("%v: mdp is late in %d of %d runs", &m, c.late, *roomsRuns)
		}
		sum += math.Log(c.share)
		count++
	}
	t.Logf("mdp costs %.3f of the policies that were chosen, in the geometric mean of %d markets", math.Exp(sum/float64(count)), count)
}

// dataParallel is the model of a data-parallel job, which may need some instances to train.
func (k *kind) dataParallel(types int) (sim.Model, error) {
	of := make([]parallel.Law, types)
	wide := max(k.wide, 1)
	for i := range of {
		of[i] = parallel.Law{Scaling: parallel.Strong, Alone: float64(wide), Exchange: 0.05, Latency: 0.01}
	}
	work := parallel.Job{Samples: 4e6, Batch: 64, Min: max(k.minimum, 1), Max: 8 * wide, Restart: 3 * time.Minute, Resize: time.Minute,
		Save: 20 * time.Second, Persist: 30 * time.Second}
	if k.name == "slow" {
		work.Restart = 15 * time.Minute
		work.Resize = 10 * time.Minute
		work.Save = 3 * time.Minute
		work.Persist = 5 * time.Minute
	}
	if k.restart > 0 {
		work.Restart = k.restart
		work.Resize = k.restart / 3
	}
	if k.work > 0 {
		work.Samples = 2.28e6 * k.work
	}
	return parallel.New(work, of)
}

// pipelined is the model of a job in pipelines of two or three stages, or of no fewer than the kind needs.
func (k *kind) pipelined() (sim.Model, error) {
	recovery := pipeline.Recovery{Loss: pipeline.LossRestarts, Restart: 5 * time.Minute, Reconfigure: time.Minute, Save: 8 * time.Second,
		Persist: 30 * time.Second}
	speeds := []pipeline.LayoutSpeed{{Pipelines: 1, Stages: 2, SamplesPerS: 1}, {Pipelines: 1, Stages: 3, SamplesPerS: 1.3},
		{Pipelines: 2, Stages: 2, SamplesPerS: 1.9}, {Pipelines: 2, Stages: 3, SamplesPerS: 2.5}, {Pipelines: 3, Stages: 3, SamplesPerS: 3.6}}
	if k.minimum > 0 {
		speeds = speeds[:0]
		for pipelines := 1; pipelines <= 4; pipelines++ {
			for stages := k.minimum; pipelines*stages <= 8; stages++ {
				rate := 0.7 * math.Pow(float64(pipelines), 0.95) * math.Pow(float64(stages), 0.8)
				speeds = append(speeds, pipeline.LayoutSpeed{Pipelines: pipelines, Stages: stages, SamplesPerS: rate})
			}
		}
	}
	if k.restart > 0 {
		recovery.Restart = k.restart
		recovery.Reconfigure = k.restart / 3
	}
	samples := 40_000.0
	if k.work > 0 {
		samples *= 0.64 * k.work
	}
	return pipeline.New(samples, 16, speeds, recovery)
}
