package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/notebooks"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/sim"
)

// Worker runs the runs of a study one after the other, in memory of its own. It
// is for one goroutine; workers share what they only read.
type Worker struct {
	study  *Study
	slot   *plugin.Slot // nil: its policies ask by themselves
	world  sim.World
	market *sim.Market
	seed   int64       // of the market
	models []sim.Model // of the market, by policy

	policies []sim.Policy // of the spec, made when they are first wanted
	limits   []float64    // of what their waiting for spot may cost, 0 without
	last     hindsight    // of the last run

	jobs  runJobs    // of the runs
	tally jobTally   // of the run
	conf  sim.Config // of the run; it and out are here, so that a run allocates none
	out   record     // of the run
}

// Worker returns a worker.
func (s *Study) Worker() *Worker { return s.WorkerIn(nil) }

// WorkerIn returns a worker for a lane of a batch, whose policies of one's own are asked together with those of
// other lanes. The rows are those of a worker alone.
func (s *Study) WorkerIn(l *plugin.Slot) *Worker {
	policies := len(s.Spec.Policies)
	return &Worker{
		study:    s,
		slot:     l,
		jobs:     s.work.runs(),
		policies: make([]sim.Policy, policies),
		limits:   make([]float64, policies),
	}
}

// Close ends what its policies have started.
func (w *Worker) Close() {
	for _, p := range w.policies {
		if c, is := p.(io.Closer); is {
			_ = c.Close() // the runs are over
		}
	}
	clear(w.policies)
}

// Case is one run of a study.
type Case struct {
	Run       int64         // its number, for the results
	Objective int           // of the spec's
	Policy    int           // of the spec's
	Seed      int64         // of its random numbers, and of its market where every seed has its own
	Start     time.Duration // from the start of the traces
}

// Run runs one case and keeps its totals. Cases with the same seed that follow
// each other share a market.
func (w *Worker) Run(c Case) (results.Summary, error) {
	out, err := w.run(c, keeping{})
	return out.summary, err
}

// Record runs one case and keeps what happened in it as well: spans, decisions,
// candidates and instances. The totals are those of Run to the last bit.
func (w *Worker) Record(c Case) (*results.Set, error) {
	out, err := w.run(c, keeping{timeline: true, jobs: true})
	if err != nil {
		return nil, err
	}
	return gather([]record{out}), nil
}

// point runs every objective and policy at the k-th point. Where rows are asked for, what happened goes to the spill,
// but that of the first point.
func (w *Worker) point(k int, records []record, spilled *spill) error {
	s := w.study
	for o := range s.Spec.Objectives {
		for p := range s.Spec.Policies {
			c := s.At(k)
			c.Run = s.number(o, p, k)
			c.Objective = o
			c.Policy = p
			out := &records[c.Run]
			var err error
			keep := keeping{timeline: k < s.Timelines, jobs: k < max(s.Timelines, s.JobRows)}
			if *out, err = w.run(c, keep); err != nil {
				return s.inRun(c, err)
			}
			if out.rows != nil && s.Rows != nil && k > 0 {
				if err := spilled.put(c.Run, out.rows); err != nil {
					return err
				}
				out.rows = nil
			}
		}
	}
	return nil
}

// inRun says in which run an error is.
func (s *Study) inRun(c Case, err error) error {
	if errors.As(err, new(*results.BelowBound)) {
		return err // it names the run
	}
	return fmt.Errorf("run %d (%s, %s, start %v, seed %d): %w",
		c.Run, s.Spec.Objectives[c.Objective].Name, s.Spec.Policies[c.Policy].Name, c.Start, c.Seed, err)
}

// keeping is what of a run is kept beside its totals.
type keeping struct {
	timeline bool
	jobs     bool // the rows of its jobs
}

// run runs one case, and keeps what is wanted.
func (w *Worker) run(c Case, keep keeping) (out record, err error) {
	if w.slot == nil {
		return w.once(c, keep)
	}
	again := false
	w.slot.Run(func() {
		if again {
			w.world = sim.World{} // it stopped within a decision
		}
		again = true
		out, err = w.once(c, keep)
	})
	return out, err
}

// joinWarnings makes one text of the warnings that are not empty.
func joinWarnings(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// once runs one case, whatever its jobs are.
func (w *Worker) once(c Case, keep keeping) (record, error) {
	s, out := w.study, &w.out
	r, err := w.begin(c, keep)
	if err != nil {
		return *out, err
	}
	config := &w.conf
	totals := w.world.Run()
	if config.JobRecorder == nil {
		w.tally.replay(config.Jobs, totals)
	}
	if err := cmp.Or(w.world.Err(), w.tally.close(w.jobs)); err != nil {
		return *out, err
	}
	out.summary = s.summary(totals, config, &w.tally, &s.Spec.Objectives[c.Objective], c.Policy)
	if teller, is := w.world.State().(interface{ Warnings() []string }); is {
		for _, text := range teller.Warnings() {
			out.summary.Warnings = joinWarnings(out.summary.Warnings, out.summary.Policy+": "+text)
		}
	}
	w.warnNeverSpot(c.Policy, &out.summary)
	s.warnTooSmall(&c, &out.summary)
	if of, is := w.world.State().(notebooks.Reporter); is {
		addNotebooks(&out.summary, of.Notebooks())
	}
	if s.Spec.Bound {
		if err := w.addBound(c, &out.summary); err != nil {
			return *out, err
		}
	}
	if r != nil {
		rows := r.close(totals.End)
		rows.Jobs = out.rows.Jobs
		out.rows = rows
	}
	return *out, nil
}

// begin makes the world of the worker that of a case, at its start, and empties its record. It returns the recorder,
// nil if no timeline is kept.
func (w *Worker) begin(c Case, keep keeping) (timeline, error) {
	w.out = record{}
	if err := w.enter(c.Seed); err != nil {
		return nil, err
	}
	policy, err := w.policy(c.Policy)
	if err != nil {
		return nil, err
	}
	if err := w.jobs.load(c, policy); err != nil {
		return nil, err
	}
	w.conf = w.config(c, policy)
	r, err := w.submit(&w.conf, w.label(c, policy), keep, &w.out)
	if err != nil {
		return nil, err
	}
	return r, start(&w.world, policy, w.conf)
}

// label is what the rows of a case are called.
func (w *Worker) label(c Case, policy sim.Policy) label {
	spec := w.study.Spec
	return label{
		run:       c.Run,
		policy:    spec.Policies[c.Policy].Name,
		scenario:  spec.Name,
		objective: spec.Objectives[c.Objective].Name,
		seed:      c.Seed,
	}
}

// Config returns what the run of a case depends on, under a policy of one's own, with all its jobs.
func (w *Worker) Config(c Case, policy sim.Policy) (sim.Config, error) {
	if err := w.enter(c.Seed); err != nil {
		return sim.Config{}, err
	}
	config, err := w.loaded(c, policy)
	config.Jobs = slices.Clone(config.Jobs) // the next call changes the worker's
	return config, err
}

// loaded is Config in the market that the worker has entered; the next call changes its jobs.
func (w *Worker) loaded(c Case, policy sim.Policy) (sim.Config, error) {
	if err := w.jobs.load(c, policy); err != nil {
		return sim.Config{}, err
	}
	_, jobs, err := w.jobs.hold()
	config := w.config(c, policy)
	config.Jobs = jobs
	return config, err
}

// config is what a case depends on beside its jobs, in the market that the worker has entered.
func (w *Worker) config(c Case, policy sim.Policy) sim.Config {
	spec := w.study.Spec
	o := &spec.Objectives[c.Objective]
	return sim.Config{Market: w.market, Policy: o.Pursued(policy),
		Start: sim.Time(0).Add(c.Start), Horizon: spec.Horizon(), Seed: uint64(c.Seed), Billing: spec.Billing(),
		Moves: w.study.Markets.Moves()}
}

// policy returns a policy of the spec, the same for all runs: what it decides is a
// function of what it sees and of its settings.
func (w *Worker) policy(p int) (policy sim.Policy, err error) {
	if w.policies[p] == nil {
		if policy, err = w.study.Spec.Policies[p].New(); err != nil {
			return nil, err
		}
		if own, is := policy.(interface{ Join(*plugin.Slot, any) }); is && w.slot != nil {
			own.Join(w.slot, pluginKey{w.study, p})
		}
		w.policies[p] = policy
		w.limits[p] = limitOf(policy)
	}
	return w.policies[p], nil
}

// pluginKey is what lanes of a batch know a policy of one's own by: the same program with the same settings.
type pluginKey struct {
	study  *Study
	policy int
}

// drawsJobs reports whether seeds differ in what the job is like.
func (s *Study) drawsJobs() bool {
	return slices.ContainsFunc(s.models, func(m spec.JobModel) bool { return m.OnSeed != nil })
}

// enter makes the market of a seed the worker's, and the model for its pools.
func (w *Worker) enter(seed int64) error {
	if w.market != nil && (w.seed == seed || w.market == w.study.Markets.Shared() && !w.study.drawsJobs()) {
		return nil
	}
	w.market = nil
	market, err := w.study.Markets.For(uint64(seed))
	if err != nil {
		return err
	}
	if w.models, err = w.jobs.enter(market, seed); err != nil {
		return err
	}
	w.market = market
	w.seed = seed
	return nil
}

// submit gives a run its jobs and who records what becomes of them: the tally, and a recorder if its timeline is
// kept. Without one, a scheduler that can has many jobs one by one, so that they are not held.
func (w *Worker) submit(config *sim.Config, l label, keep keeping, out *record) (timeline, error) {
	t := &w.tally
	w.jobs.begin(t, l, config)
	if keep.jobs {
		t.emit = w.study.keeper(out, len(t.done), keep.timeline)
	}
	if sim.TraitsOf(config.Policy).Plans != sim.ByHold { // other worlds do not tell what a job came to
		config.JobRecorder = t
		if !keep.timeline {
			config.Source = w.jobs.source(t.meet)
		}
	}
	if config.Source != nil {
		return nil, nil
	}
	list, jobs, err := w.jobs.hold()
	if err != nil {
		return nil, err
	}
	config.Jobs = jobs
	for j := range list {
		t.meet(j, &list[j])
	}
	if !keep.timeline {
		return nil, nil
	}
	t.spans = w.jobs.record(l, config.Start)
	config.Recorder = t.spans
	return t.spans, nil
}

// At returns a point, counted from 0, as a case: its start and seed.
func (s *Study) At(point int) Case {
	return Case{Run: int64(point), Start: s.Starts[point/s.Spec.Seeds], Seed: s.Spec.Seed + int64(point%s.Spec.Seeds)}
}
