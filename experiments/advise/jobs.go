package advise

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
)

// openJobs reads the jobs that were submitted by now.
func (a *adviser) openJobs() error {
	work, err := workload.Open(a.spec)
	if err != nil {
		return err
	}
	a.warnings = append(a.warnings, work.Warnings...)
	all, err := work.For(a.spec.Seed, a.market, 0)
	if err != nil {
		return a.spec.ErrorAt("$.jobs", "%v", err)
	}
	list, jobs, err := all.Hold()
	if err != nil {
		return a.spec.ErrorAt("$.jobs", "%v", err)
	}
	r, started, err := a.state.read(a.markets, a.market)
	if err != nil {
		return err
	}
	past := slices.IndexFunc(list, func(j workload.Job) bool { return started.Add(j.Submit) > r.now })
	if past < 0 {
		past = len(list)
	}
	a.many = &many{work: work, list: list[:past], jobs: jobs[:past], shared: a.shared, byTasks: a.byTasks}
	if a.state.Jobs == nil {
		if a.recorded() {
			return a.state.errorAt("$.jobs", "missing: expected the jobs that are there, with what they hold on the market of traces")
		}
		return nil
	}
	return a.many.only(a.state, list)
}

// recorded reports whether the market has traces, which end now.
func (a *adviser) recorded() bool { return len(a.spec.Market.Traces) > 0 }

// only leaves the jobs that the state lists.
func (m *many) only(s *State, all []workload.Job) error {
	at, names := map[string]int{}, make([]string, len(all))
	for j := range all {
		at[all[j].ID], names[j] = j, all[j].ID
	}
	there := map[int]int{}
	for i := range s.Jobs {
		path := fmt.Sprintf("$.jobs[%d].id", i)
		j, known := at[s.Jobs[i].ID]
		first, twice := there[j]
		switch {
		case !known:
			near := ""
			if n := registry.Nearest(s.Jobs[i].ID, names); n != "" {
				near = fmt.Sprintf("; did you mean %q?", n)
			}
			return s.errorAt(path, "no job %q in the spec's list of %d jobs%s", s.Jobs[i].ID, len(all), near)
		case twice:
			return s.errorAt(path, "%q is jobs[%d], too: expected each job once", s.Jobs[i].ID, first)
		case j >= len(m.list):
			return s.errorAt(path, "%q is submitted %v after started, which is after now: expected a job that is there", s.Jobs[i].ID, all[j].Submit)
		}
		there[j] = i
	}
	var list []workload.Job
	var jobs []sim.Job
	for j := range m.list {
		if _, is := there[j]; is {
			list, jobs = append(list, m.list[j]), append(jobs, m.jobs[j])
		}
	}
	if len(list) == 0 {
		return s.errorAt("$.jobs", "no job is there: expected at least one")
	}
	m.over = len(m.list) - len(list)
	m.list, m.jobs = list, jobs
	return nil
}

// of returns the number of a job by its name; it is there.
func (m *many) of(id string) int {
	return slices.IndexFunc(m.list, func(j workload.Job) bool { return j.ID == id })
}

// span is how long the work of the jobs takes that are left, one after the other, each where it is fastest, and until the last deadline.
func (m *many) span(market *sim.Market, started, now sim.Time) (span time.Duration) {
	layout := sim.Layout{Workers: make([]int32, market.Pools())}
	for j := range m.jobs {
		g, fastest := m.jobs[j].Model.(sim.GangModel), 0.0
		for p := range layout.Workers {
			clear(layout.Workers)
			layout.Workers[p] = int32(g.Gang())
			fastest = max(fastest, g.Rate(&layout).Progress)
		}
		if fastest > 0 {
			span += sim.At(g.Work() / fastest).Sub(0)
		}
		if of := &m.jobs[j]; of.Objective.Within != sim.NoDeadline {
			span = max(span, started.Add(of.Submit).Add(of.Objective.Within).Sub(now))
		}
	}
	return span + 24*time.Hour
}

// jobs reads what the jobs hold: instances of the state, or GPUs by pool.
func (r *reading) jobs(m *many, out *record, named map[string]*life) error {
	out.tasks, out.begins = make([][]*life, len(m.list)), make([]sim.Time, len(m.list))
	for i := range r.state.Jobs {
		x := &r.state.Jobs[i]
		j, path := m.of(x.ID), fmt.Sprintf("$.jobs[%d]", i)
		submitted := out.started.Add(m.list[j].Submit)
		since, err := r.optional(path+".since", x.Since, submitted, "its submission")
		if err != nil {
			return err
		}
		if since == sim.Never {
			since = submitted
		}
		if len(x.On) > 0 && len(x.Instances) > 0 {
			return r.state.errorAt(path, "on and instances, expected one of them")
		}
		var held []*life
		if x.Instances != nil {
			held, err = r.named(path+".instances", x.Instances, named, submitted)
		} else {
			held, err = r.on(path+".on", x.On, since)
		}
		if err != nil {
			return err
		}
		if from := max(since, latest(held)); len(held) > 0 && from >= r.now {
			return r.state.errorAt(path, "%s runs since now: expected an earlier since, or neither on nor instances, as of a job that waits", x.ID)
		}
		if gang := m.jobs[j].Model.(sim.GangModel).Gang(); len(held) > 0 && len(held) != gang {
			return r.state.errorAt(path, "%s holds %d of the %d GPUs or tasks that it needs all at once: expected %d, or none", x.ID, len(held), gang, gang)
		}
		out.tasks[j], out.begins[j] = held, max(since, latest(held))
		for _, l := range held {
			l.jobs = append(l.jobs, j)
			if x.Instances == nil {
				out.inOrder = append(out.inOrder, l)
			}
		}
	}
	return nil
}

// latest is the last grant of some instances.
func latest(held []*life) (at sim.Time) {
	for _, l := range held {
		at = max(at, l.Granted)
	}
	return at
}

// on makes the instances of a job that has GPUs of pools since an instant.
func (r *reading) on(path string, by map[string]int, since sim.Time) (held []*life, err error) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range by {
			if !yield(name) {
				return
			}
		}
	})
	for _, name := range names {
		p, err := r.pool(path+"."+name, name, "", "", false)
		if err != nil {
			return nil, err
		}
		if n, quota := by[name], r.market.Pool(p).Quota; n < 1 || n > quota {
			return nil, r.state.errorAt(path+"."+name, "%d, expected 1 to the %d that there are", n, quota)
		}
		for range by[name] {
			l := &life{Life: sim.Life{Granted: since, Ready: since, Noticed: sim.Never, Gone: sim.Never}, released: sim.Never, pool: p}
			held = append(held, l)
			r.ask(l)
		}
	}
	return held, nil
}

// ask notes when an instance was asked for: in pools where a grant takes its time so long before, which is not before the run.
func (r *reading) ask(l *life) {
	wait := r.market.Pool(l.pool).Wait
	l.Granted = max(l.Granted, r.started.Add(wait))
	l.Ready, l.asked = max(l.Ready, l.Granted), l.Granted.Add(-wait)
}

// named finds the instances of a job.
func (r *reading) named(path string, ids []string, named map[string]*life, submitted sim.Time) (held []*life, err error) {
	for k, id := range ids {
		l := named[id]
		if l == nil {
			return nil, r.state.errorAt(fmt.Sprintf("%s[%d]", path, k), "no instance %q: expected the id of one in instances", id)
		}
		if l.Granted < submitted && !r.shared {
			return nil, r.state.errorAt(fmt.Sprintf("%s[%d]", path, k), "%q is held since before the job was submitted", id)
		}
		if min(l.Gone, l.released) <= r.now {
			return nil, r.state.errorAt(fmt.Sprintf("%s[%d]", path, k), "%q is gone: expected instances that the job has now", id)
		}
		held = append(held, l)
	}
	return held, nil
}

// owned checks that every instance has the jobs that it can have.
func (r *record) owned(s *State, m *many) error {
	if m.shared {
		return nil
	}
	for _, l := range r.inOrder {
		switch {
		case len(l.jobs) > 1:
			return s.errorAt("$.jobs", "instance %q is of %s and of %s, and these schedulers share no instance: expected one job", l.id,
				m.list[l.jobs[0]].ID, m.list[l.jobs[1]].ID)
		case len(l.jobs) == 0:
			return s.errorAt("$.instances", "instance %q is of no job: expected it in the instances of one of jobs", l.id)
		}
	}
	return nil
}

// jobFollower holds until now what the jobs held. From now on another policy decides (sim.World.Succeed).
type jobFollower struct {
	record *record
	traits sim.Traits
	hosts  map[*life]int // that were rented
	named  map[int]*life // by the number of the host
	ended  map[*life]bool
}

// Name implements sim.Policy.
func (*jobFollower) Name() string { return "what the state says" }

// Traits says how the policy plans that will go on.
func (f *jobFollower) Traits() sim.Traits { return f.traits }

// Decide implements sim.Policy.
func (f *jobFollower) Decide(v sim.View, plan *sim.Plan) {
	now, next := v.Now(), f.record.now
	if k, _ := slices.BinarySearch(f.record.turns, now+1); k < len(f.record.turns) {
		next = min(next, f.record.turns[k])
	}
	if next > now {
		plan.WakeIn(next.Sub(now))
	}
	if f.traits.Plans == sim.ByTasks {
		f.rent(plan, now)
	}
	for _, j := range v.ActiveJobs() {
		held := f.record.tasks[j]
		if len(held) == 0 || now < f.record.begins[j] {
			continue
		}
		for k, l := range held {
			switch {
			case f.traits.Plans != sim.ByTasks:
				plan.Place(j, l.pool, f.record.count(j, l.pool))
			case plan.Assigned(j, k) == sim.Nowhere:
				plan.Assign(j, k, f.hosts[l])
			}
		}
	}
}

// rent asks for the hosts that were granted now, and gives back those that were.
func (f *jobFollower) rent(plan *sim.Plan, now sim.Time) {
	for _, l := range f.record.inOrder {
		if _, has := f.hosts[l]; !has && l.asked <= now {
			f.hosts[l] = plan.Rent(l.pool)
			f.named[f.hosts[l]] = l
		}
		if id, has := f.hosts[l]; has && l.released <= now && !f.ended[l] {
			f.ended[l] = true
			plan.Return(id)
		}
	}
}

// count is how many instances of a pool job j holds.
func (r *record) count(j, pool int) (n int) {
	for _, l := range r.tasks[j] {
		if l.pool == pool {
			n++
		}
	}
	return n
}

// order puts the instances of all jobs into the order of their grants, by pool.
func (r *record) order() {
	slices.SortStableFunc(r.inOrder, func(a, b *life) int {
		return cmp.Or(cmp.Compare(a.Granted, b.Granted), cmp.Compare(a.pool, b.pool), cmp.Compare(a.first(), b.first()))
	})
	for _, l := range r.inOrder {
		r.lifetimes[l.pool] = append(r.lifetimes[l.pool], *l)
		r.turns = append(r.turns, l.asked)
	}
	for j := range r.tasks {
		if len(r.tasks[j]) > 0 {
			r.turns = append(r.turns, r.begins[j])
		}
	}
}

// first is the first of the jobs of an instance, -1 if there is none.
func (l *life) first() int {
	if len(l.jobs) == 0 {
		return -1
	}
	return l.jobs[0]
}

// followJobs runs the world to now: what the state says that jobs hold, or, where it says nothing of them, what the scheduler would have
// had them hold; then the scheduler decides.
func (r *record) followJobs(w *sim.World, c sim.Config, policy sim.Policy) error {
	c.Start, c.Horizon = r.started, 0
	c.Policy = &awake{policy, r.now}
	if r.tasks != nil {
		m, err := c.Market.Granting(r.granted(), max(c.Market.End(), r.now.Add(1)+1))
		if err != nil {
			return err
		}
		f := &jobFollower{record: r, traits: sim.TraitsOf(policy), hosts: map[*life]int{}, named: map[int]*life{}, ended: map[*life]bool{}}
		if of, is := c.Recorder.(*decisionRecorder); is {
			of.hosts = f.named
		}
		c.Market, c.Policy = m, f
	}
	if err := w.Reset(c); err != nil {
		return err
	}
	for w.NextDecision() {
		if w.Now() < r.now {
			continue
		}
		if r.tasks != nil {
			if err := r.followed(w.View()); err != nil {
				return err
			}
			w.Succeed(policy)
		}
		return nil
	}
	return fmt.Errorf("by the model and the scheduler, all jobs were over at %v, before now: expected jobs, those that are there, in the state", w.Now().Sub(0))
}

// awake is a scheduler that is also asked at an instant, at which all that it remembers is of the past.
type awake struct {
	sim.Policy
	at sim.Time
}

// Traits are those of the scheduler.
func (a *awake) Traits() sim.Traits { return sim.TraitsOf(a.Policy) }

// Unwrap returns the scheduler.
func (a *awake) Unwrap() sim.Policy { return a.Policy }

// Decide implements sim.Policy.
func (a *awake) Decide(v sim.View, plan *sim.Plan) {
	a.Policy.Decide(v, plan)
	if v.Now() < a.at {
		plan.WakeIn(a.at.Sub(v.Now()))
	}
}
