// Package torchft compares replica groups (calibrate/parallel, Groups) with what was printed of torchft, of INTELLECT-1
// and of Clockwork's benchmark.
package torchft

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// holder holds a number of instances.
type holder int

func (holder) Name() string { return "holder" }

func (h holder) Decide(_ sim.View, plan *sim.Plan) { plan.Jobs[0].Hold[0] = int(h) }

// failing is a market of n instances of which the one that has been there longest, so that it trains, fails after each
// of the given spans, and another boots in its place.
func failing(n int, boot, horizon time.Duration, next func(k int) float64) (*sim.Market, error) {
	h := sim.Trace{Pool: sim.Pool{Name: "a", Quota: n, Victim: sim.VictimOldest, Boot: sim.Boot{Median: boot}}, Prices: []sim.Price{{}},
		Capacity: []sim.Capacity{{N: n}}}
	at := 0.0
	for k := 0; ; k++ {
		if at += next(k); at > horizon.Seconds() {
			break
		}
		t := sim.At(at)
		h.Capacity = append(h.Capacity, sim.Capacity{At: t, N: n - 1}, sim.Capacity{At: t.Add(time.Microsecond), N: n})
	}
	return sim.NewMarket(sim.Time(0).Add(horizon), []sim.Trace{h})
}

// run trains a job until it is done or the market ends.
func run(model sim.Model, m *sim.Market, p sim.Policy) (*sim.Totals, error) {
	w, err := sim.New(sim.Config{Market: m, Policy: p, Seed: 1, Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: m.End().Sub(0)}}}})
	if err != nil {
		return nil, err
	}
	return w.Run(), nil
}

// groups is a run of torchft: replica groups of which one is killed every so often.
type groups struct {
	EveryS   float64 `json:"every_s"`
	Failures int     `json:"failures"`
}

// failures reports the share of steps that were committed, the mean number of groups, as a share, and the training of
// the ideal.
func failures(f *papers.Figure) error {
	var in struct {
		Groups int               `json:"groups"`
		StepS  float64           `json:"step_s"`
		StartS float64           `json:"start_s"`
		Runs   map[string]groups `json:"runs"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(in.Runs)) {
		r := in.Runs[name]
		boot, whole := papers.Seconds(in.StartS), papers.Seconds(r.EveryS*float64(r.Failures))
		market, err := failing(in.Groups, boot, boot+whole, func(k int) float64 {
			if k == 0 {
				return in.StartS + r.EveryS/2
			}
			return r.EveryS
		})
		if err != nil {
			return err
		}
		model, err := parallel.NewReplicated(parallel.Groups{Samples: 1e12, Batch: float64(in.Groups), Groups: in.Groups, Workers: 1, Min: 1,
			Step: papers.Seconds(in.StepS)}, 1)
		if err != nil {
			return err
		}
		t, err := run(model, market, holder(in.Groups))
		if err != nil {
			return err
		}
		job := &t.Jobs[0]
		ready := job.InstanceTime.Hours() - job.Activities[sim.Starting].Hours()
		ideal := job.Samples / (float64(in.Groups) / in.StepS * whole.Seconds())
		present := ready / (float64(in.Groups) * whole.Hours())
		f.Report(name+"-groups", present*float64(in.Groups))
		f.Report(name+"-ideal", ideal)
		f.Report(name+"-committed", job.Activities[sim.Useful].Hours()/ready)
	}
	return f.Context().Err()
}

// outer reports the share of the time that computes where groups exchange something in outer steps only.
func outer(f *papers.Figure) error {
	var in struct {
		Groups int                `json:"groups"`
		RoundS float64            `json:"round_s"`
		Every  int                `json:"every"`
		SyncS  map[string]float64 `json:"sync_s"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(in.SyncS)) {
		market, err := failing(in.Groups, 0, 24*time.Hour, func(int) float64 { return 1e9 })
		if err != nil {
			return err
		}
		const rounds = 20
		model, err := parallel.NewReplicated(parallel.Groups{Samples: rounds * float64(in.Every), Batch: 1, Groups: in.Groups, Workers: 1, Min: 1,
			Step: papers.Seconds(in.RoundS / float64(in.Every)), Every: in.Every, Sync: papers.Seconds(in.SyncS[name])}, 1)
		if err != nil {
			return err
		}
		t, err := run(model, market, holder(in.Groups))
		if err != nil {
			return err
		}
		f.Report(name, rounds*in.RoundS/t.Jobs[0].Elapsed.Seconds())
	}
	return nil
}

// clockwork reports the minutes of a job on machines that fail, with checkpoints, with replica groups, and without a
// failure.
func clockwork(f *papers.Figure) error {
	var in struct {
		Nodes    int     `json:"nodes"`
		Steps    float64 `json:"steps"`
		StepS    float64 `json:"step_s"`
		Saves    float64 `json:"steps_between_saves"`
		MinS     float64 `json:"failure_min_s"`
		MaxS     float64 `json:"failure_max_s"`
		RestartS float64 `json:"restart_s"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	dice := sim.Rand{Seed: 1}
	next := func(k int) float64 { return in.MinS + (in.MaxS-in.MinS)*dice.Uniform(sim.PurposeUser, 0, uint64(k)) }
	market, err := failing(in.Nodes, 0, 72*time.Hour, next)
	if err != nil {
		return err
	}
	saved, err := parallel.New(parallel.Job{Samples: in.Steps, Batch: 1, Min: in.Nodes, Max: in.Nodes, Restart: papers.Seconds(in.RestartS)},
		[]parallel.Law{{Scaling: parallel.Strong, Alone: in.StepS * float64(in.Nodes)}})
	if err != nil {
		return err
	}
	replicas, err := parallel.NewReplicated(parallel.Groups{Samples: in.Steps, Batch: 1, Groups: in.Nodes, Workers: 1, Min: 1,
		Step: papers.Seconds(in.StepS)}, 1)
	if err != nil {
		return err
	}
	every := papers.Seconds(in.StepS * in.Saves)
	for _, x := range []struct {
		name   string
		model  sim.Model
		policy sim.Policy
	}{
		{"checkpoint", saved, &policies.Checkpoint{Instances: in.Nodes, Interval: every}},
		{"torchft", replicas, holder(in.Nodes)},
	} {
		t, err := run(x.model, market, x.policy)
		if err != nil {
			return err
		}
		if !t.Jobs[0].Finished {
			return fmt.Errorf("%s: not done in %v", x.name, market.End().Sub(0))
		}
		f.Report(x.name, t.Jobs[0].Elapsed.Minutes())
	}
	f.Report("migration", in.Steps*in.StepS/60)
	return nil
}
