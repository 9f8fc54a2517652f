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
		trials[i].decision.Plan = emptyPlan()
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

// trial is one policy's decision now, and what becomes of it.
type trial struct {
	decision decision
	spent    float64 // until now
	done     float64 // now
	modelled float64 // now, by the model and what was held
	outcomes []outcome
	errs     []error // by worker: why it could not be tried
}

// err is why a policy could not be tried, nil if it could.
func (t *trial) err() error {
	for _, err := range t.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// try follows the run to now under a policy and runs every step-th continuation from the first on. The
// first of the workers has the first policy decide, too.
func (a *adviser) try(ctx context.Context, i, first, step int, t *trial) error {
	policy, err := a.policy(i)
	if err != nil {
		return err
	}
	defer closePolicy(policy)
	var world sim.World
	config := a.config(i)
	recorder := a.work.recorder(&t.decision)
	decides := i == 0 && first == 0
	if decides {
		config.Recorder = recorder
	}
	if err := a.work.follow(&world, config, policy); err != nil {
		return err
	}
	modelled, done, err := a.work.report(&world)
	if err != nil {
		return err
	}
	v := world.View()
	bill := v.Bill()
	paid := bill.Total()
	more := stats.Or(a.state.SpentUSD, paid) - paid // than the market's prices say
	if decides {
		recorder.begin(v)
		t.spent = paid + more
		t.modelled = modelled
		t.done = done
	}
	next := &fork{adviser: a, view: v, policy: policy, continuation: a.continuation(v), jobs: config.Jobs}
	for k := first; k < a.options.Continuations && ctx.Err() == nil; k += step {
		totals := next.continued(k).Run()
		bill := totals.Bill
		t.outcomes[k] = a.work.outcome(totals, bill.Total()+more)
	}
	if decides {
		recorder.finish(&world, next.steady)
	}
	return nil
}

// fork is the world after now, of which one continuation after the other is made in the same memory.
type fork struct {
	adviser      *adviser
	view         sim.View // now
	policy       sim.Policy
	continuation *continuation
	jobs         []sim.Job // of view
	world        sim.World
	market       sim.Market
	leaving      []sim.Time
}

// continued is the k-th continuation.
func (f *fork) continued(k int) *sim.World {
	a := f.adviser
	a.work.draw(f.jobs, f.view, k)
	outlooks := f.continuation.outlooks
	if a.changes() {
		outlooks = f.continuation.draw(uint64(k))
	}
	for p := range outlooks {
		f.leaving = hold(f.view, p, a.record.now, a.freeSlots(p), &outlooks[p], f.leaving)
	}
	return f.imagine(outlooks, k)
}

// steady is the world in which no price and no capacity changes any more, and all that is asked for is granted.
func (f *fork) steady() *sim.World {
	f.adviser.work.draw(f.jobs, f.view, -1)
	clear(f.continuation.outlooks)
	return f.imagine(f.continuation.outlooks, 0)
}

// imagine makes the world with an outlook for each pool, and the draws of the k-th continuation: of boots, victims and
// missing notices.
func (f *fork) imagine(outlooks []sim.Outlook, k int) *sim.World {
	a := f.adviser
	f.view.Future(&f.market, a.end, outlooks)
	f.view.Imagine(&f.world, &f.market, uint64(a.spec.Seed)+0x9e3779b97f4a7c15*uint64(k+1), f.policy)
	return &f.world
}

// continuation prepares the draws of markets after now.
func (a *adviser) continuation(v sim.View) *continuation {
	now := read(a.market, 0, a.record.now+1)
	return &continuation{
		past:     a.past,
		rand:     sim.Rand{Seed: uint64(a.spec.Seed)},
		now:      a.record.now,
		end:      a.end,
		present:  a.past.like(&now, a.record.now, nil),
		outlooks: make([]sim.Outlook, v.Pools()),
	}
}

// freeSlots is the capacity of a pool now, -1 where the traces do not limit it.
func (a *adviser) freeSlots(p int) int32 {
	if n, limited := a.market.Capacity(p, a.record.now); limited {
		return int32(n)
	}
	return -1
}
