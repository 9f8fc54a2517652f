// Package world runs small simulated worlds, as claims of several papers ask for them.
package world

import (
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Machines is a pool of n machines, each of which goes at most once, after
// n seconds. Nobody else can be had.
func Machines(name string, n int, usdPerH float64, lost []float64) sim.Trace {
	h := sim.Trace{Pool: sim.Pool{Name: name, InstanceType: name, Quota: n}, Prices: []sim.Price{{USD: usdPerH}}}
	for i := range n {
		h.Nodes = append(h.Nodes, sim.NodeEvent{Node: i, Up: true})
	}
	for i, at := range slices.Sorted(slices.Values(lost)) {
		h.Nodes = append(h.Nodes, sim.NodeEvent{At: sim.At(at), Node: i})
	}
	return h
}

// Longest is longer than any job of the parameter-server studies.
const Longest = 24 * time.Hour

// Train simulates a job of steps on pools under a policy, from the start of
// which all that is asked for is there. An error if it does not finish.
func Train(model *Steps, policy sim.Policy, pools ...sim.Trace) (sim.JobTotals, error) {
	m, err := sim.NewMarket(sim.Time(0).Add(Longest), pools)
	if err != nil {
		return sim.JobTotals{}, err
	}
	w, err := sim.New(sim.Config{Market: m, Policy: policy,
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: Longest}}}})
	if err != nil {
		return sim.JobTotals{}, err
	}
	job := w.Run().Jobs[0]
	if !job.Finished {
		return job, fmt.Errorf("%v of %v steps are done after %v", job.Done*model.Total, model.Total, Longest)
	}
	return job, nil
}

// TrainFixed simulates steps on one pool of equal workers, some of which are
// lost and not replaced, and returns the seconds.
func TrainFixed(steps, speed float64, law ps.Capacity, n int, lost []float64) (float64, error) {
	model := &Steps{Total: steps, Speeds: []float64{speed}, Capacity: law}
	job, err := Train(model, &policies.Fixed{}, Machines("worker", n, 0, lost))
	return job.Elapsed.Seconds(), err
}

// ages is a recorder of how old the machines of pool 0 are when they go, where
// all began with the run.
type ages struct {
	before int
	hours  []float64 // one a machine
}

func (a *ages) Decision(sim.View, *sim.Plan, bool) {}

func (a *ages) Span(s *sim.Span) {
	for now := s.Pools[0].Ready; a.before > now; a.before-- {
		a.hours = append(a.hours, s.From.Sub(0).Hours())
	}
	a.before = s.Pools[0].Ready
}

// Live holds all machines of a pool for a while and returns how old each is that
// goes, in hours, and the totals of the job that holds them.
func Live(pool sim.Trace, span time.Duration) (hours []float64, job sim.JobTotals, err error) {
	m, err := sim.NewMarket(sim.Time(0).Add(span), []sim.Trace{pool})
	if err != nil {
		return nil, job, err
	}
	var a ages
	model := &Steps{Total: 1e12, Speeds: []float64{1}, Capacity: ps.Unlimited()}
	w, err := sim.New(sim.Config{Market: m, Policy: &policies.Fixed{}, Recorder: &a, Seed: 1,
		Jobs: []sim.Job{{Model: model, Objective: sim.Objective{Within: Longest}}}})
	if err != nil {
		return nil, job, err
	}
	job = w.Run().Jobs[0]
	return a.hours, job, nil
}
