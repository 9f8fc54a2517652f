// Package advise answers what a policy would do now: from a live state (what is held, how far the
// training is) and the traces until now it works out the policy's plan, and what that is expected
// to cost and when to end, beside what other policies would.
//
// The run is followed from its beginning to now in a market that grants exactly what was granted
// (sim.Market.Granting), with the policy asked at every instant, so that its memory of the past is what it
// would have; then it decides. Many continuations from there, the same for all policies, are on markets
// like the past (Past, Continuations). Nothing after now is read.
package advise

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// Advise returns what the spec's first policy would do now, and what that and the other policies are expected to cost:
// of one job, or of the jobs of a cluster that are there now.
func Advise(ctx context.Context, s *spec.Spec, state *State, o Options) (*Advice, error) {
	a, err := open(s, state, o)
	if err == nil {
		err = a.openPast()
	}
	if err != nil {
		return nil, err
	}
	trials := make([]trial, len(s.Policies))
	for i := range trials {
		trials[i].outcomes = make([]outcome, a.options.Continuations)
	}
	workers := min(runtime.GOMAXPROCS(0), a.options.Continuations)
	for i := range trials {
		trials[i].errs = make([]error, workers)
	}
	var wait sync.WaitGroup
	for g := range workers {
		wait.Go(func() {
			for i := range trials {
				trials[i].errs[g] = a.try(ctx, i, g, workers, &trials[i])
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := trials[0].err(); err != nil {
		return nil, err
	}
	return a.advice(trials), nil
}

// try follows the run to now under a policy and runs every step-th continuation from the first on. The
// first of the workers records the decision, too.
func (a *adviser) try(ctx context.Context, i, first, step int, t *trial) error {
	policy, err := a.policy(i)
	if err != nil {
		return err
	}
	defer closePolicy(policy)
	var world, fork sim.World
	var future sim.Market
	config := a.config(i)
	recorder := &decisionRecorder{now: a.record.now, record: a.record, into: &t.decision, many: a.many}
	if first == 0 {
		config.Recorder = recorder
	}
	follow := a.record.follow
	if a.many != nil {
		follow = a.record.followJobs
	}
	if err := follow(&world, config, policy); err != nil {
		return err
	}
	modelled, done, err := a.report(&world)
	if err != nil {
		return err
	}
	v := world.View()
	if a.many != nil && first == 0 {
		recorder.before(v)
	}
	bill := v.Bill()
	spent := bill.Total()
	offset := stats.Or(a.state.SpentUSD, spent) - spent
	if first == 0 {
		t.spent, t.modelled, t.done = spent+offset, modelled, done
	}
	c := a.continuation(v)
	var leaving []sim.Time
	for k := first; k < a.options.Continuations && ctx.Err() == nil; k += step {
		outlooks := c.outlooks
		if a.recorded() || a.spec.Market.Synthetic != nil { // else no price and no capacity ever changes
			outlooks = c.draw(uint64(k))
		}
		for p := range outlooks {
			leaving = hold(v, p, a.record.now, a.freeSlots(p), &outlooks[p], leaving)
		}
		v.Future(&future, a.end, outlooks)
		v.Imagine(&fork, &future, a.seed(k), policy)
		t.outcomes[k] = a.outcomeOf(fork.Run(), offset)
	}
	if first != 0 {
		return nil
	}
	if i > 0 || a.many != nil {
		world.RunUntil(a.record.now)
		return nil
	}
	for p := range c.outlooks {
		c.outlooks[p] = sim.Outlook{}
	}
	v.Future(&future, a.end, c.outlooks)
	v.Imagine(&fork, &future, a.seed(0), policy)
	world.RunUntil(a.record.now)
	t.decision.granted(&fork, a.record.now)
	return nil
}

// seed is that of the draws of a continuation: boots, victims, missing notices.
func (a *adviser) seed(k int) uint64 {
	return uint64(a.spec.Seed) + 0x9e3779b97f4a7c15*uint64(k+1)
}

// report sets the progress that was measured, and returns what it would be by the model, and what it is.
func (a *adviser) report(w *sim.World) (modelled, done float64, err error) {
	if a.many != nil {
		return a.reportJobs(w)
	}
	job := w.View().Job(0)
	modelled = job.Done()
	switch s := a.state; {
	case s.Done != nil:
		done = *s.Done
	default:
		if !job.Begun() {
			w.Report(0, rounding) // begun on other layouts than this policy's: the loss says how far it is
		}
		if done = job.DoneAt(*s.Loss); !(done < 1) {
			return 0, 0, a.state.errorAt("$.loss", "%v is the objective's loss (%v) or below, or none that the model can reach: a job that is done "+
				"needs no advice", *s.Loss, a.objective().Loss)
		}
		done = max(done, 0)
	}
	if math.Abs(done-modelled) >= 1e-9 {
		w.Report(0, done)
	}
	return modelled, done, nil
}

// continuation prepares the draws of markets after now.
func (a *adviser) continuation(v sim.View) *continuation {
	t := read(a.market, 0, a.record.now+1)
	return &continuation{past: a.past, rand: sim.Rand{Seed: uint64(a.spec.Seed)}, now: a.record.now, end: a.end,
		present: a.past.like(&t, a.record.now, nil), outlooks: make([]sim.Outlook, v.Pools())}
}

// freeSlots is the capacity of a pool now, -1 where the traces do not limit it.
func (a *adviser) freeSlots(p int) int32 {
	if n, limited := a.market.Capacity(p, a.record.now); limited {
		return int32(n)
	}
	return -1
}

// reportJobs sets the progress of the jobs that was measured, and returns what is done of all, as a mean.
func (a *adviser) reportJobs(w *sim.World) (modelled, done float64, err error) {
	v := w.View()
	for _, j := range v.ActiveJobs() {
		modelled += v.Job(j).Done()
	}
	for i := range a.state.Jobs {
		x := &a.state.Jobs[i]
		j := a.many.of(x.ID)
		if x.Done != nil {
			w.Report(j, *x.Done)
		}
		if x.RanS == nil {
			continue
		}
		ran, longest := sim.At(*x.RanS).Sub(0), w.Now().Sub(v.Job(j).Submitted())
		if ran > longest {
			return 0, 0, a.state.errorAt(fmt.Sprintf("$.jobs[%d].ran_s", i), "%v, but %s was submitted %v ago", *x.RanS, x.ID, longest)
		}
		w.ReportRan(j, ran)
	}
	for _, j := range v.ActiveJobs() {
		done += v.Job(j).Done()
	}
	n := float64(len(v.ActiveJobs()))
	return modelled / n, done / n, nil
}
