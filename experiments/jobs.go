package experiments

import (
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// load makes the jobs of a case the worker's: that of its objective or, of many, those of its seed, on the market
// that the worker has entered.
func (w *Worker) load(c Case, policy sim.Policy) (err error) {
	s := w.study
	if s.work == nil {
		job := s.Spec.Job(c.Objective, w.models[c.Policy])
		w.list = append(w.list[:0], workload.Job{ID: job.Name, Weight: 1, Deadline: job.Objective.Within})
		w.held = append(w.held[:0], job)
		return nil
	}
	if w.work == nil || !w.work.Are(c.Seed, w.market, c.Start) {
		w.list, w.held = nil, nil
		if w.work, err = s.work.For(c.Seed, w.market, c.Start); err != nil {
			return err
		}
	}
	return s.checkPlaces(c.Policy, policy, w.work)
}

// submit gives a run its jobs and who records what becomes of them: the tally, and a recorder if its timeline is
// kept. Without one, a scheduler that can has many jobs one by one, so that they are not held.
func (w *Worker) submit(config *sim.Config, l label, keep keeping, out *record) (*recorder, error) {
	n, dropped := 1, 0
	if w.work != nil {
		n, dropped = w.work.N, w.work.Dropped
		config.Jobs = nil
	}
	t := &w.tally
	t.begin(l, config, n)
	t.dropped = int64(dropped)
	if w.work != nil {
		t.gangs, t.groups = true, serversOf(config)
	}
	if keep.jobs {
		t.emit = w.study.keeper(out, n, keep.timeline)
	}
	many := sim.TraitsOf(config.Policy).Plans != sim.ByHold
	if many { // other worlds do not tell what a job came to
		config.JobRecorder = t
	}
	if many && w.work != nil && !keep.timeline {
		config.Source = w.work.Telling(t.meet)
		return nil, nil
	}
	if err := w.hold(); err != nil {
		return nil, err
	}
	config.Jobs = w.held
	for j := range w.list {
		t.meet(j, &w.list[j])
	}
	if !keep.timeline {
		return nil, nil
	}
	var listed []workload.Job
	if w.work != nil {
		listed = w.list
	}
	t.spans = newRecorder(l, w.market, config.Start, listed)
	config.Recorder = t.spans
	return t.spans, nil
}

// sharing is how many jobs share instances.
func (w *Worker) sharing() (none sim.Sharing) {
	if w.work == nil {
		return none
	}
	return w.study.work.Sharing()
}

// hold makes the list of the jobs of the run, if there is none.
func (w *Worker) hold() (err error) {
	if w.held == nil {
		w.list, w.held, err = w.work.Hold()
	}
	return err
}

// keeper returns what takes the rows of the jobs of a run: they are in the order of their numbers in a record, and
// handed on as the jobs end in one without a timeline if somebody wants them.
func (s *Study) keeper(out *record, jobs int, timeline bool) func(*results.Job) error {
	if !timeline && s.JobRow != nil {
		return s.JobRow
	}
	out.rows = &results.Set{Jobs: make([]results.Job, jobs)}
	return func(r *results.Job) error {
		out.rows.Jobs[r.Number] = *r
		return nil
	}
}

// start begins a run in a world. A policy that knows the future is told it.
func start(world *sim.World, policy sim.Policy, config sim.Config) error {
	if oracle, is := policy.(policies.Oracle); is {
		oracle.SetMarket(config.Market)
	}
	if oracle, is := policy.(policies.RunOracle); is {
		if err := oracle.SetRun(config); err != nil {
			return err
		}
	}
	return world.Reset(config)
}
