package sim

import (
	"fmt"
	"math"
	"time"
)

// newState returns the first state of a policy, or of the one within it that is Stateful; see Stateful.NewState.
func newState(p Policy, from, used any) any {
	for {
		if stateful, ok := p.(Stateful); ok {
			return stateful.NewState(from, used)
		}
		outer, ok := p.(interface{ Unwrap() Policy })
		if !ok {
			return nil
		}
		p = outer.Unwrap()
	}
}

// New returns a world that is ready to run. Errors name the field and what was expected.
func New(config Config) (*World, error) {
	w := new(World)
	if err := w.Reset(config); err != nil {
		return nil, err
	}
	return w, nil
}

// maxInstances bounds the sum of the quotas, which decides the memory of a world.
const maxInstances = 1 << 20

func (c *Config) check() error {
	switch {
	case c.Market == nil:
		return fmt.Errorf("no market")
	case c.Policy == nil:
		return fmt.Errorf("no policy")
	case len(c.Jobs) == 0 && c.Source == nil:
		return fmt.Errorf("no jobs")
	case c.Start < 0 || c.Start >= c.Market.end:
		return fmt.Errorf("the run starts %v into a market of %v", c.Start.Sub(0), c.Market.end.Sub(0))
	case c.Speed < 0 || !finite(c.Speed):
		return fmt.Errorf("speed %v, expected a finite number, at least 0", c.Speed)
	case c.Horizon < 0:
		return fmt.Errorf("horizon %v, expected at least 0", c.Horizon)
	case !(c.Billing.DiskUSDPerHour >= 0 && c.Billing.Tax >= 0) || !finite(c.Billing.DiskUSDPerHour+c.Billing.Tax):
		return fmt.Errorf("disks at %v USD/h, tax %v, expected finite numbers, at least 0",
			c.Billing.DiskUSDPerHour, c.Billing.Tax)
	case c.Billing.Increment < 0 || c.Billing.Minimum < 0:
		return fmt.Errorf("billing increment %v, minimum %v, expected at least 0",
			c.Billing.Increment, c.Billing.Minimum)
	}
	if err := c.checkSource(); err != nil {
		return err
	}
	quota := 0
	for i := range c.Market.pools {
		p := &c.Market.pools[i]
		if quota += p.Quota; quota > maxInstances {
			return fmt.Errorf("the quotas add up to more than %d instances", maxInstances)
		}
	}
	for i := range c.Jobs {
		if err := c.Jobs[i].checkIn(c.Policy, quota); err != nil {
			return fmt.Errorf("job %d (%s): %w", i, c.Jobs[i].Name, err)
		}
	}
	return nil
}

// checkSource says what does not go together with a source of jobs.
func (c *Config) checkSource() error {
	if c.Source == nil {
		return nil
	}
	switch {
	case TraitsOf(c.Policy).Plans == ByHold:
		return fmt.Errorf("a source of jobs, but policy %s plans by JobPlan.Hold", c.Policy.Name())
	case len(c.Jobs) > 0:
		return fmt.Errorf("a source of jobs and a list of %d jobs, expected one of them", len(c.Jobs))
	case c.Recorder != nil:
		return fmt.Errorf("a Recorder, whose spans list all jobs, with a source of jobs: expected a JobRecorder")
	}
	return nil
}

// checkIn checks a job that a policy is to run on a number of instances.
func (j *Job) checkIn(p Policy, largest int) error {
	if err := j.check(); err != nil {
		return err
	}
	plans := TraitsOf(p).Plans
	if plans == ByHold {
		return nil
	}
	model, ok := j.Model.(GangModel)
	if !ok {
		return fmt.Errorf("its model is no gang (GangModel), and policy %s schedules many", p.Name())
	}
	if model.Gang() < 1 || model.Gang() > largest {
		return fmt.Errorf("a gang of %d, expected 1 to %d, the sum of the quotas", model.Gang(), largest)
	}
	if least, most := RangeOf(model); least < 1 || least > model.Gang() || most < model.Gang() {
		return fmt.Errorf("a gang of %d that trains on %d to %d, expected at least 1, and the gang between them",
			model.Gang(), least, most)
	}
	return nil
}

func (j *Job) check() error {
	switch {
	case j.Model == nil:
		return fmt.Errorf("no model")
	case j.Submit < 0:
		return fmt.Errorf("submitted %v after the start, expected at least 0", j.Submit)
	case j.Objective.Within <= 0:
		return fmt.Errorf("objective time %v, expected more than 0", j.Objective.Within)
	case !finite(j.Objective.Loss):
		return fmt.Errorf("objective loss %v, expected a finite number", j.Objective.Loss)
	case j.ParameterServers < 0 || !(j.ParameterServerPrice >= 0) || !(j.StorageGB >= 0) || !(j.StoragePrice >= 0):
		return fmt.Errorf("parameter servers %d at %v USD/h, storage %v GB at %v USD, expected at least 0",
			j.ParameterServers, j.ParameterServerPrice, j.StorageGB, j.StoragePrice)
	}
	if err := j.Checkpoints.check(); err != nil {
		return err
	}
	model, ok := j.Model.(WorkerModel)
	if ok && model.NeedsServers() && j.ParameterServers == 0 {
		return fmt.Errorf("no parameter servers, but the model needs one: expected at least 1")
	}
	goal := j.Model.Goal(j.Objective.Loss)
	if math.IsInf(goal, 1) || math.IsNaN(goal) {
		return fmt.Errorf("objective loss %v is below what the model can reach", j.Objective.Loss)
	}
	return nil
}

func (c *Checkpoints) check() error {
	if c.Keep < 0 || c.Keep > math.MaxInt32 || !finite(c.GB*c.Price) || c.GB < 0 || c.Price < 0 {
		return fmt.Errorf("checkpoints: %d of %v GB at %v USD, expected finite numbers, at least 0",
			c.Keep, c.GB, c.Price)
	}
	return nil
}

// Reset makes w ready to run a configuration, reusing its memory.
func (w *World) Reset(config Config) error {
	if err := config.check(); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	market := config.Market
	w.cfg = config
	w.rand = Rand{config.Seed}
	w.start = config.Start
	w.now = config.Start
	w.end = market.end
	if config.Horizon > 0 {
		w.end = min(w.end, config.Start.Add(config.Horizon))
	}
	w.believedJobs = w.believedJobs[:0]

	w.dirty = true
	w.supply = false
	w.trigger = 0
	w.asked = 0
	w.wake = Never
	w.stops = false
	w.due = false
	w.woken = config.Start
	w.quickWakes = 0

	w.fleet.reset(market, w.start, w.rand)
	w.boots.reset(config.Seed, w.pools)
	w.jobEvents = w.jobEvents[:0]
	w.traits = TraitsOf(config.Policy)
	w.plan.sparse = w.traits.Plans != ByHold
	open := len(market.pools)
	if w.plan.sparse {
		open = 0
	}
	w.training.reset(config.Jobs, open, w.start)
	w.accounts.reset(config.Recorder, len(market.pools), len(config.Jobs), w.start)
	w.accounts.tax = config.Billing.Tax
	w.state = newState(config.Policy, nil, w.state)
	w.listen()

	w.resetFailures()
	w.resetSlow()
	w.jobBase = len(w.inst) + len(w.queues) + len(w.failing)
	if w.slow.on() {
		w.jobBase++
	}
	if config.Source != nil {
		w.jobBase++ // the arrivals
	}
	w.timers.Reset(w.timerSlots(), w.end)
	for j := range config.Jobs {
		w.timers.Set(w.jobSlot(j), w.jobs[j].submit)
	}
	w.startFailures()
	w.startSlow()
	w.resetPlan()
	w.resetIntake()
	return nil
}

// resetPlan empties the plan and what is remembered for it.
func (w *World) resetPlan() {
	plan := &w.plan
	w.holds = resize(w.holds, len(w.jobs)*w.training.open)
	clear(w.holds)
	plan.Jobs = extend(plan.Jobs, len(w.jobs))
	for j := range plan.Jobs {
		plan.Jobs[j].empty(&w.specs[j])
	}
	plan.edited = plan.edited[:0]
	w.bindPlan()
	plan.recorded = w.recorder != nil
	plan.inputs = plan.inputs[:0]
	plan.candidates = plan.candidates[:0]
	plan.reset(w.start)
	plan.every = 0
	plan.keep = 0
	plan.forked = false
	plan.mode = 0
	w.past.next = Never
	w.past.n = 0
}

// bindPlan points each job's Hold at its part of holds.
func (w *World) bindPlan() {
	n := w.training.open
	if n == 0 {
		return
	}
	for j := range w.plan.Jobs {
		w.plan.Jobs[j].Hold = w.holds[j*n : (j+1)*n : (j+1)*n]
	}
}

// Fork makes dst a copy of w that goes on under policy, which may be w's own if
// both stay on one goroutine. It reuses dst's memory; w is left as it is. The
// copy has no recorder.
func (w *World) Fork(dst *World, policy Policy) {
	traits := TraitsOf(policy)
	if traits.Plans != w.traits.Plans {
		panic("sim: World.Fork: the policies of a run and of its fork write their plans in one form")
	}
	old := *dst // its memory
	*dst = *w
	dst.intake = old.intake
	dst.intake.copyFrom(&w.intake)
	dst.jobEvents = append(old.jobEvents[:0], w.jobEvents...)
	dst.ahead = old.ahead
	dst.prices = old.prices
	dst.boots = boots{}
	dst.fleet = old.fleet
	dst.training = old.training
	dst.accounts = old.accounts
	dst.timers = old.timers
	dst.fleet.copyFrom(&w.fleet)
	dst.training.copyFrom(&w.training)
	dst.accounts.copyFrom(&w.accounts)
	dst.timers.copyFrom(&w.timers)
	dst.slow = old.slow
	dst.slow.copyFrom(&w.slow)
	dst.cfg.Policy = policy
	dst.traits = traits
	dst.cfg.Recorder = nil
	dst.cfg.JobRecorder = nil
	if w.stream != nil {
		dst.specs = dst.slots[:len(w.specs)]
	}
	dst.believedJobs = append(old.believedJobs[:0], w.believedJobs...)
	if len(w.believedJobs) > 0 {
		dst.specs = dst.believedJobs
	}
	dst.stops = false // a fork from within a decision is not stopped, even where the run is (NextDecision)
	dst.state = newState(policy, w.state, nil)
	dst.holds = resize(old.holds, len(w.holds))
	dst.plan.copyJobs(&old.plan, &w.plan)
	dst.bindPlan()
	for j := range w.plan.Jobs {
		copy(dst.plan.Jobs[j].Hold, w.plan.Jobs[j].Hold)
	}
	dst.plan.forked = true
	dst.plan.recorded = false
	dst.plan.inputs = old.plan.inputs[:0]
	dst.plan.candidates = old.plan.candidates[:0]
	dst.plan.waits = append(old.plan.waits[:0], w.plan.waits...)
	dst.plan.before = append(old.plan.before[:0], w.plan.before...)
	dst.past.counts = append(old.past.counts[:0], w.past.counts...)
	dst.listen()
}

// Totals returns the results of the run. They are complete after Run, and valid
// until the next Reset.
func (w *World) Totals() *Totals { return &w.totals }

// Err returns what was wrong with the jobs of Config.Source, if that ended the run; nil otherwise.
func (w *World) Err() error { return w.intake.err }

// resetIntake begins to take jobs from the source, if there is one.
func (w *World) resetIntake() {
	a := &w.intake
	*a = intake{slots: a.slots, vacant: a.vacant[:0], ended: a.ended[:0]}
	if w.cfg.Source != nil {
		a.stream = w.cfg.Source.Open()
		clear(a.slots)
		a.slots = a.slots[:0]
		w.await(0)
	}
}

// await looks at the next job of the source, and sets the timer of the arrivals to it.
func (w *World) await(before time.Duration) {
	intake := &w.intake
	at := Never
	more, err := intake.stream.Next(&intake.coming)
	switch {
	case err != nil:
		intake.err = fmt.Errorf("sim: job %d: %w", intake.came, err)
	case more && intake.coming.Submit < before:
		intake.err = fmt.Errorf("sim: job %d (%s): submitted %v after the start, the one before it %v",
			intake.came, intake.coming.Name, intake.coming.Submit, before)
	case more:
		if err := intake.coming.checkIn(w.cfg.Policy, len(w.inst)); err != nil {
			intake.err = fmt.Errorf("sim: job %d (%s): %w", intake.came, intake.coming.Name, err)
		}
		at = w.start.Add(intake.coming.Submit)
		w.unfinished++
	}
	if intake.err != nil {
		at = Never
		w.unfinished = 0 // the run ends here
	}
	w.timers.Set(w.jobBase-1, at)
}

// arrive submits the job that is coming.
func (w *World) arrive() {
	w.changed()
	intake := &w.intake
	if len(intake.vacant) == 0 {
		w.moreSlots()
	}
	j := intake.vacant[len(intake.vacant)-1]
	intake.vacant = intake.vacant[:len(intake.vacant)-1]
	fresh := w.jobs[j].id >= intake.shared
	w.specs[j], intake.coming = intake.coming, w.specs[j]
	if !fresh {
		intake.coming = Job{}
	}
	w.prepare(j, intake.came, w.start)
	w.noteSaveTime(j)
	w.gangs[j] = gang{since: w.now, started: Never, disbanded: Never, touched: w.gangs[j].touched}
	w.plan.Jobs[j].empty(&w.specs[j])
	intake.came++
	w.submit(j)
	w.await(w.specs[j].Submit)
}

// firstSlots is for how many jobs at once there is room at first.
const firstSlots = 64

// moreSlots makes room for twice as many jobs at once.
func (w *World) moreSlots() {
	was := len(w.jobs)
	n := max(2*was, firstSlots)
	w.slots = extend(w.slots, n)
	w.specs = w.slots
	w.dirtyJobs = extend(w.dirtyJobs, n)[:len(w.dirtyJobs)]
	w.gangs = extend(w.gangs, n)
	w.jobs = extend(w.jobs, n)
	w.lostPlaces = extend(w.lostPlaces, n)
	w.plan.Jobs = extend(w.plan.Jobs, n)
	for j := n - 1; j >= was; j-- {
		w.vacant = append(w.vacant, j)
	}
	w.timers.grow(w.jobBase + n)
}

// freeSlots frees the slots of jobs that are over, of which the scheduler has been notified.
func (w *World) freeSlots() {
	w.vacant = append(w.vacant, w.ended...)
	w.ended = w.ended[:0]
}

// copyFrom makes a the intake of a fork of src.
func (a *intake) copyFrom(src *intake) {
	old := *a
	*a = *src
	a.vacant = append(old.vacant[:0], src.vacant...)
	a.ended = append(old.ended[:0], src.ended...)
	if src.stream != nil {
		src.shared = src.came + 1 // the one that is coming, too
		a.stream = src.stream.Fork()
		a.shared = src.shared
		a.slots = append(old.slots[:0], src.slots...)
	}
}
