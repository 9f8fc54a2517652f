package advise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// taken is a decision of a run, the state before it, and what the policy remembered.
type taken struct {
	state                      *State
	hold                       []int
	pipelines, stages, servers int
	save                       bool
	reason, memory             string
}

// decisionsOf runs a case and returns about most of its decisions, evenly.
func decisionsOf(t *testing.T, study *experiments.Study, c experiments.Case, every int) (out []taken) {
	t.Helper()
	policy, err := study.Spec.Policies[c.Policy].New()
	if err != nil {
		t.Fatal(err)
	}
	n := 0 // decisions that were recorded
	remembers := &remembering{Policy: policy, now: func() bool { return n%every == 0 }}
	config, err := study.Worker().Config(c, remembers)
	if err != nil {
		t.Fatal(err)
	}
	config.Recorder = &Recording{Take: func(v sim.View, plan *sim.Plan, state func() *State) {
		if n++; (n-1)%every != 0 {
			return
		}
		job, memory := &plan.Jobs[0], remembers.before
		out = append(out, taken{state(), slices.Clone(job.Hold), job.Pipelines, job.Stages, job.Servers, job.Save && v.Job(0).Training(), plan.Reason(), memory})
	}}
	world, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	world.Run()
	return out
}

// remembering notes what a policy remembers before the decisions of which it is asked.
type remembering struct {
	sim.Policy
	now    func() bool
	before string
}

func (r *remembering) Unwrap() sim.Policy { return r.Policy }

func (r *remembering) Decide(v sim.View, plan *sim.Plan) {
	if r.now() {
		r.before = memoryOf(v)
	}
	r.Policy.Decide(v, plan)
}

// memoryOf is what a policy remembers, as text, without the address of the policy.
func memoryOf(v sim.View) string {
	text := fmt.Sprintf("%v %+v %v", v.Mode(), v.State(), v.Job(0).Past(nil))
	if _, rest, has := strings.Cut(text, " jobs:"); has {
		text = rest
	}
	job := v.Job(0)
	text += fmt.Sprint(" job ", job.LastSave(), job.Resumed(), job.LaidAt(), job.Losses(), job.Loss(), job.SavedLoss(), job.Layout().Workers, job.Instances(nil))
	for p := range v.Pools() {
		text += fmt.Sprintf("\npool %d %+v %+v %v", p, v.Seen(p), v.Held(0, p), v.Leaving(p, nil))
	}
	return text
}

// A decision from the state of a run is the one that the run took: by then the policy remembers what it did in the run,
// the training is as far and the bill as high, to the last bit.
func TestAsRun(t *testing.T) {
	for _, x := range []struct {
		spec, policy     string
		objective, every int
	}{
		{"quickstart", "reactive", 1, 3}, {"quickstart", "spotdnn", 1, 29}, {"quickstart", "spotdnn-safe", 1, 61}, {"quickstart", "cmdare+", 1, 23},
		{"quickstart", "srifty+", 1, 31}, {"quickstart", "dynamic-pricing", 1, 2}, {"quickstart", "ondemand", 0, 1}, {"quickstart", "uniform-progress-s", 1, 17},
		{"regions", "skynomad", 0, 101}, {"regions", "uniform-progress-ap", 0, 101},
	} {
		s, err := spec.Open(x.spec)
		if err != nil {
			t.Fatal(err)
		}
		s.Seed, s.Seeds = 2, 1
		if err := s.Choose([]string{x.policy}); err != nil {
			t.Fatal(err)
		}
		study, err := experiments.NewStudy(s)
		if err != nil {
			t.Fatal(err)
		}
		of := decisionsOf(t, study, experiments.Case{Objective: x.objective, Seed: s.Seed}, x.every)
		if len(of) < 3 && x.policy != "ondemand" {
			t.Errorf("%s: %d decisions", x.policy, len(of))
		}
		for _, want := range of {
			checkDecision(t, s, &want)
		}
	}
}

// checkDecision compares a decision with that of the run.
func checkDecision(t *testing.T, s *spec.Spec, want *taken) {
	t.Helper()
	a, err := open(s, want.state, Options{Continuations: 1})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := a.policy(0)
	if err != nil {
		t.Fatal(err)
	}
	var world sim.World
	var d decision
	config := a.config(0)
	config.Recorder = &jobRecorder{record: a.record, into: &d}
	if err := a.record.follow(&world, config, policy); err != nil {
		t.Fatal(err)
	}
	v := world.View()
	bill := v.Bill()
	name := s.Policies[0].Name + " at " + want.state.Now
	if got := memoryOf(v); got != want.memory {
		t.Errorf("%s remembers\n%s\nin the run\n%s", name, got, want.memory)
	}
	if done, spent := v.Job(0).Done(), bill.Total(); done != *want.state.Done || spent != *want.state.SpentUSD {
		t.Errorf("%s: %v done for %v USD, in the run %v for %v", name, done, spent, *want.state.Done, *want.state.SpentUSD)
	}
	world.RunUntil(a.record.now)
	hold := make([]int, len(want.hold))
	for p := range hold {
		pool := v.Pool(p)
		want.hold[p] = min(want.hold[p], pool.Quota)
		if at := slices.IndexFunc(d.Changes, func(c Change) bool { return c.Pool == pool.Name }); at >= 0 {
			c := &d.Changes[at]
			hold[p] = c.Keep + c.Wait + c.Request
		}
	}
	if !slices.Equal(hold, want.hold) || d.Pipelines != want.pipelines || d.Stages != want.stages ||
		d.Servers != want.servers || d.Save != want.save || d.Reason != want.reason {
		t.Errorf("%s: %v %q, in the run %v %q", name, hold, d.Reason, want.hold, want.reason)
	}
}
