package sim

import (
	"fmt"
	"math"
	"sort"
	"time"
)

// Config is everything that a run depends on.
type Config struct {
	Market *Market
	Jobs   []Job
	Policy Policy
	// Start is where in the histories the run begins.
	Start Time
	// Horizon ends the run if the jobs do not; 0 or more than there is means
	// the end of the market.
	Horizon time.Duration
	Seed    uint64
	Billing Billing
	// Recorder is told every span and decision; nil keeps totals only.
	Recorder Recorder
}

// World is one simulated run: plain data, no pointers but to the shared,
// read-only parts of its Config, so that a fork is a copy. It is for one
// goroutine; Reset makes it ready for the next run without new memory.
type World struct {
	cfg    Config
	market *Market
	rand   Rand
	watch  bool // the policy is asked when a price changes

	start, end, now Time
	records         []record
	cursor          int
	timers          Timers
	wake            Time    // the policy's own timer
	dirty           bool    // the present instant is to be settled
	supply          bool    // waiting requests may be granted
	trigger, asked  Trigger // what the policy is to be told, and was told last
	active          int     // jobs that are not done

	pools   []poolState
	offers  poolSet // those that may have room for a request that waits
	nodes   []int32 // by pool and node: who holds it
	inst    []instance
	members []int32 // by pool: slots of its instances, ascending; room for the quota
	free    []int32 // instance slots, a stack
	live    int32   // slots at or above it were never used
	jobs    []jobState
	held    []holding // by job and pool
	workers []int32   // by job and pool: workers of the layout in force
	next    []int32   // by pool: scratch
	want    []int32   // by pool: scratch
	to      Layout    // scratch
	change  Change    // scratch

	plan             Plan
	holds            []int     // backing of the plan's Hold
	plans            []int     // what the policy wanted when its plan was adopted
	stale            bool      // a job was submitted since
	lostPlaces       [][]Place // by job: places whose instances are gone
	occupied         []bool    // scratch of place
	order            []int32
	rank             []int32
	past             past
	totals           Totals
	recordedUntil    Time // spans are recorded until here
	span             Span
	spanFilled       bool // span is filled and not yet told
	instanceRecorder InstanceRecorder
}

// New returns a world that is ready to run. Errors name the field and what was expected.
func New(c Config) (*World, error) {
	w := new(World)
	if err := w.Reset(c); err != nil {
		return nil, err
	}
	return w, nil
}

// maxInstances bounds the sum of the quotas, which is the memory of a world.
const maxInstances = 1 << 20

func (c *Config) check() error {
	switch {
	case c.Market == nil:
		return fmt.Errorf("no market")
	case c.Policy == nil:
		return fmt.Errorf("no policy")
	case len(c.Jobs) == 0:
		return fmt.Errorf("no jobs")
	case c.Start < 0 || c.Start >= c.Market.end:
		return fmt.Errorf("the run starts %v into a market of %v", c.Start.Sub(0), c.Market.end.Sub(0))
	case c.Horizon < 0:
		return fmt.Errorf("horizon %v, expected at least 0", c.Horizon)
	case c.Billing.Increment < 0 || c.Billing.Minimum < 0:
		return fmt.Errorf("billing increment %v, minimum %v, expected at least 0", c.Billing.Increment, c.Billing.Minimum)
	}
	quota := 0
	for i := range c.Market.pools {
		p := &c.Market.pools[i]
		if quota += p.Quota; quota > maxInstances {
			return fmt.Errorf("the quotas add up to more than %d instances", maxInstances)
		}
	}
	for i := range c.Jobs {
		if err := c.Jobs[i].check(); err != nil {
			return fmt.Errorf("job %d (%s): %w", i, c.Jobs[i].Name, err)
		}
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
	if goal := j.Model.Goal(j.Objective.Loss); math.IsInf(goal, 1) || math.IsNaN(goal) {
		return fmt.Errorf("objective loss %v is below what the model can reach", j.Objective.Loss)
	}
	return nil
}

// Reset makes w ready to run c, reusing its memory.
func (w *World) Reset(c Config) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	m := c.Market
	w.cfg, w.market, w.rand = c, m, Rand{c.Seed}
	w.instanceRecorder, _ = c.Recorder.(InstanceRecorder)
	w.start, w.now, w.end = c.Start, c.Start, m.end
	if c.Horizon > 0 {
		w.end = min(w.end, c.Start.Add(c.Horizon))
	}
	w.listen()
	w.dirty, w.supply, w.trigger, w.asked, w.active = true, false, 0, 0, len(c.Jobs)
	w.resetPools()
	w.resetJobs()
	w.wake = Never
	w.timers.Reset(len(w.inst)+len(w.jobs), w.end)
	for j := range w.jobs {
		w.timers.Set(w.jobSlot(j), w.jobs[j].submit)
	}
	w.plan.recorded = c.Recorder != nil
	w.plan.inputs, w.plan.candidates = w.plan.inputs[:0], w.plan.candidates[:0]
	w.plan.reset(c.Start)
	w.plan.every, w.plan.keep, w.plan.forked, w.past.next, w.past.n = 0, 0, false, Never, 0
	w.totals.reset(len(m.pools), len(c.Jobs))
	w.recordedUntil, w.spanFilled = c.Start, false
	return nil
}

// listen chooses the records that the policy and the recorder need, from now on.
func (w *World) listen() {
	_, w.watch = w.cfg.Policy.(PriceWatcher)
	w.records = w.market.events
	if w.watch || w.cfg.Recorder != nil {
		w.records = w.market.full
	}
	w.cursor = sort.Search(len(w.records), func(i int) bool { return w.records[i].at > w.now })
}

func (w *World) resetPools() {
	m := w.market
	w.pools = resize(w.pools, len(m.pools))
	w.offers = resize(w.offers, (len(m.pools)+63)/64)
	clear(w.offers)
	w.nodes = w.nodes[:0]
	quota := 0
	for p := range w.pools {
		s := &m.series[p]
		st := poolState{capacity: unlimited, price: int32(s.find(w.start)), first: int32(quota), node: int32(len(w.nodes)),
			bootTimes: w.rand.Stream(PurposeBoot, uint64(p)), picks: w.rand.Stream(PurposeVictim, uint64(p))}
		quota += m.pools[p].Quota
		if len(s.cap) > 0 {
			st.counted = int32(s.after(w.start) - 1)
			st.capacity = s.capacityOf(int(st.counted))
		}
		for node := range s.nodes {
			holder := int32(nodeGone)
			if s.nodeUp(node, w.start) {
				holder = nodeFree
			}
			w.nodes = append(w.nodes, holder)
		}
		st.nodes = int32(len(w.nodes)) - st.node
		w.pools[p] = st
	}
	w.inst, w.members = resize(w.inst, quota), resize(w.members, quota)
	clear(w.inst)
	w.free, w.live = w.free[:0], 0
	w.next, w.want = resize(w.next, len(m.pools)), resize(w.want, len(m.pools))
}

func (w *World) resetJobs() {
	jobs, pools := len(w.cfg.Jobs), len(w.pools)
	w.jobs = resize(w.jobs, jobs)
	w.held = resize(w.held, jobs*pools)
	w.workers = resize(w.workers, jobs*pools)
	w.holds, w.plans, w.stale = resize(w.holds, jobs*pools), resize(w.plans, jobs*pools), false
	w.plan.Jobs, w.lostPlaces = resize(w.plan.Jobs, jobs), resize(w.lostPlaces, jobs)
	clear(w.workers)
	clear(w.holds)
	clear(w.plans)
	for i := range w.held {
		w.held[i] = holding{waitingSince: Never, paid: w.start}
	}
	for j := range w.jobs {
		spec := &w.cfg.Jobs[j]
		w.jobs[j] = jobState{goal: spec.Model.Goal(spec.Objective.Loss), submit: w.start.Add(spec.Submit), finish: Never, waitingSince: Never, chief: noChief, servers: int32(spec.ParameterServers), pendingAt: Never, hitAt: Never}
		w.lostPlaces[j] = w.lostPlaces[j][:0]
		w.jobs[j].serversSince = w.jobs[j].submit
		w.plan.Jobs[j] = JobPlan{Servers: spec.ParameterServers}
		w.bind(j)
	}
}

// bind points job j's slices into the world's own arrays.
func (w *World) bind(j int) {
	n := len(w.pools)
	w.jobs[j].layout.Workers = w.workers[j*n : (j+1)*n : (j+1)*n]
	w.plan.Jobs[j].Hold = w.holds[j*n : (j+1)*n : (j+1)*n]
}

// Fork makes dst a copy of w that goes on under policy, which may be w's own if
// both stay on one goroutine. It reuses dst's memory; w is left as it is. The
// copy has no recorder.
func (w *World) Fork(dst *World, policy Policy) {
	old := *dst
	*dst = *w
	dst.cfg.Policy, dst.cfg.Recorder, dst.instanceRecorder = policy, nil, nil
	dst.plan.forked, dst.plan.recorded = true, false
	dst.plan.inputs, dst.plan.candidates = old.plan.inputs[:0], old.plan.candidates[:0]
	dst.listen()
	dst.timers = old.timers
	dst.timers.copyFrom(&w.timers)
	dst.pools = append(old.pools[:0], w.pools...)
	dst.offers = append(old.offers[:0], w.offers...)
	dst.nodes = append(old.nodes[:0], w.nodes...)
	dst.inst = append(old.inst[:0], w.inst...)
	dst.members = append(old.members[:0], w.members...)
	dst.free = append(old.free[:0], w.free...)
	dst.jobs = append(old.jobs[:0], w.jobs...)
	dst.held = append(old.held[:0], w.held...)
	dst.workers = append(old.workers[:0], w.workers...)
	dst.holds = append(old.holds[:0], w.holds...)
	dst.plans = append(old.plans[:0], w.plans...)
	dst.next, dst.want = resize(old.next, len(w.next)), resize(old.want, len(w.want))
	dst.plan.Jobs = append(old.plan.Jobs[:0], w.plan.Jobs...)
	dst.occupied, dst.order, dst.rank = old.occupied, old.order, old.rank
	dst.lostPlaces = resize(old.lostPlaces, len(w.lostPlaces))
	for j := range w.lostPlaces {
		dst.lostPlaces[j] = append(dst.lostPlaces[j][:0], w.lostPlaces[j]...)
	}
	dst.span, dst.spanFilled = Span{}, false
	dst.to, dst.change = Layout{}, Change{}
	dst.past.counts = append(old.past.counts[:0], w.past.counts...)
	dst.totals = old.totals
	dst.totals.copyFrom(&w.totals)
	for j := range dst.jobs {
		dst.bind(j)
	}
}

func (w *World) jobSlot(j int) int { return len(w.inst) + j }

// believed returns the model that the policy is to believe of job j.
func (w *World) believed(j int) Model {
	if m := w.cfg.Jobs[j].Belief; m != nil {
		return m
	}
	return w.cfg.Jobs[j].Model
}

func (w *World) loss(j int) float64 {
	if !w.jobs[j].begun {
		return math.Inf(1)
	}
	return w.cfg.Jobs[j].Model.Loss(w.jobs[j].progress(w.now))
}

// Now returns the instant that the world has reached.
func (w *World) Now() Time { return w.now }

// Totals returns the run's books; they are complete after Run, and valid until
// the next Reset.
func (w *World) Totals() *Totals { return &w.totals }
