package advise

import (
	"slices"
	"strconv"

	"github.com/marigram/marigram/sim"
)

// Recording is a sim.Recorder that takes the state of a run of one job: what a user would know at each of its
// decisions. The zero value is ready for a run.
type Recording struct {
	// Take is called at every decision but the first and those at the same instant as another, with what returns the
	// state before it.
	Take func(v sim.View, plan *sim.Plan, state func() *State)

	log   []happened
	want  []int
	last  sim.Time
	begun bool
}

// happened is an event of an instance or, where hold is set, a decision.
type happened struct {
	at   sim.Time
	pool int
	n    int
	what sim.InstanceEvent
	hold []int
}

// Span implements sim.Recorder.
func (*Recording) Span(*sim.Span) {}

// Instance implements sim.InstanceRecorder.
func (r *Recording) Instance(now sim.Time, _, p, n int, what sim.InstanceEvent) {
	r.log = append(r.log, happened{at: now, pool: p, n: n, what: what})
}

// Outage implements sim.InstanceRecorder.
func (*Recording) Outage(_, _ sim.Time, _, _ int, _ sim.OutageCause) {}

// Decision implements sim.Recorder.
func (r *Recording) Decision(v sim.View, plan *sim.Plan, changed bool) {
	if r.begun && v.Now() > r.last && v.Now() > v.Start() && r.Take != nil {
		r.Take(v, plan, func() *State { return r.state(v) })
	}
	r.begun = true
	r.last = v.Now()
	hold := plan.Jobs[0].Hold
	if !changed || slices.Equal(hold, r.want) {
		return
	}
	r.want = slices.Clone(hold)
	within := slices.Clone(hold) // the quotas
	for p := range within {
		within[p] = min(within[p], v.Pool(p).Quota)
	}
	r.log = append(r.log, happened{at: v.Now(), hold: within})
}

// state is what is known at an instant of what was held and asked for.
func (r *Recording) state(v sim.View) *State {
	bill := v.Bill()
	s := &State{
		Now:       instantText(v.Now()),
		Started:   instantText(v.Start()),
		Objective: v.Job(0).Name(),
		Done:      new(v.Job(0).Done()),
		SpentUSD:  new(bill.Total()),
	}
	numbers := map[[2]int]int{}
	active := make([]int, v.Pools())
	want := make([]int, v.Pools())
	waits := make([]Request, v.Pools())
	for i, x := range r.log {
		if x.hold != nil {
			copy(want, x.hold)
		} else {
			active[x.pool] += s.add(numbers, v, &x)
		}
		if i+1 < len(r.log) && r.log[i+1].at == x.at {
			continue // the instant is not over
		}
		for p := range waits {
			s.wait(&waits[p], v.Pool(p).Name, max(want[p]-active[p], 0), x.at)
		}
	}
	for p := range waits {
		s.wait(&waits[p], "", 0, sim.Never)
	}
	s.noteLeaving(v)
	return s
}

// add adds an event of an instance, whose number in the state numbers has, and returns by how much the number of those
// not under notice changes.
func (s *State) add(numbers map[[2]int]int, v sim.View, x *happened) int {
	key := [2]int{x.pool, x.n}
	at := instantText(x.at)
	if x.what == sim.InstanceGranted {
		numbers[key] = len(s.Instances)
		pool := v.Pool(x.pool).Name
		s.Instances = append(s.Instances, Instance{ID: pool + "#" + strconv.Itoa(x.n), Pool: pool, Since: at})
		return 1
	}
	i := &s.Instances[numbers[key]]
	switch x.what {
	case sim.InstanceReady:
		i.Ready = at
		return 0
	case sim.InstanceNoticed:
		i.Noticed = at
		return -1
	case sim.InstanceRevoked, sim.InstanceFailed:
		i.Gone = at
	case sim.InstanceReleased:
		i.Released = at
	}
	if i.Noticed != "" {
		return 0
	}
	return -1
}

// wait notes that n requests wait from an instant on; Never is the end of the record.
func (s *State) wait(w *Request, pool string, n int, at sim.Time) {
	if n == w.N && at != sim.Never {
		return
	}
	if w.N > 0 {
		if at != sim.Never {
			w.Until = instantText(at)
		}
		if w.Until != w.Since {
			s.Requests = append(s.Requests, *w)
		}
	}
	*w = Request{Pool: pool, N: n, Since: instantText(at)}
}

// noteLeaving notes when instances under notice go.
func (s *State) noteLeaving(v sim.View) {
	for p := range v.Pools() {
		leaving := v.Leaving(p, nil)
		for i := range s.Instances {
			x := &s.Instances[i]
			isLeaving := x.Pool == v.Pool(p).Name && x.Noticed != "" && x.Gone == "" && x.Released == ""
			if isLeaving && len(leaving) > 0 {
				x.Gone = instantText(leaving[0])
				leaving = leaving[1:]
			}
		}
	}
}

// instantText writes an instant as seconds from the beginning of the market, exactly.
func instantText(t sim.Time) string {
	return strconv.FormatFloat(float64(t)/1e6, 'f', -1, 64)
}
