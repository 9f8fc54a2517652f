package advise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
)

// record is what a job held and asked for until now, on the market's own clock.
type record struct {
	now, started sim.Time
	lifetimes    [][]life   // by pool, in the order of the grants
	waits        []waiting  // in the order of their beginnings
	turns        []sim.Time // instants at which the plan may have changed, ascending

	// Of many jobs:
	inOrder []*life    // of all pools, in the order of the grants
	tasks   [][]*life  // by job: what it holds now, by its tasks; nil: the state says nothing of jobs
	begins  []sim.Time // by job: since when
}

// life is one instance.
type life struct {
	sim.Life
	released sim.Time // Never: it was not given back
	id       string
	pool     int
	asked    sim.Time // of many: when it was asked for
	jobs     []int    // of many: whose it is
}

// until returns when the plan stops to count the instance.
func (l *life) until() sim.Time { return min(l.Noticed, l.Gone, l.released) }

// waiting is n requests of a pool that wait.
type waiting struct {
	pool, n     int
	from, until sim.Time
}

// reading reads the instants and pools of a state.
type reading struct {
	state   *State
	markets *market.Markets
	market  *sim.Market
	now     sim.Time
	started sim.Time
	shared  bool // jobs may share an instance
}

// read begins to read a state on a market, and returns when the run started.
func (s *State) read(markets *market.Markets, m *sim.Market) (r reading, started sim.Time, err error) {
	r = reading{state: s, markets: markets, market: m, now: sim.Never}
	if r.now, err = r.at("$.now", s.Now); err != nil {
		return r, 0, err
	}
	if started, err = r.at("$.started", s.Started); err == nil && started >= r.now {
		err = s.errorAt("$.started", "%s, expected an instant before now (%s)", s.Started, s.Now)
	}
	r.started = started
	return r, started, err
}

// record reads a state on a market, of one job or of many.
func (s *State) record(markets *market.Markets, m *sim.Market, jobs *many) (*record, error) {
	r, started, err := s.read(markets, m)
	if err != nil {
		return nil, err
	}
	out, named := &record{now: r.now, started: started, lifetimes: make([][]life, m.Pools())}, map[string]*life{}
	for i := range s.Instances {
		pool, l, err := r.life(fmt.Sprintf("$.instances[%d]", i), &s.Instances[i], out.started)
		if err != nil {
			return nil, err
		}
		if l.pool = pool; jobs == nil {
			out.lifetimes[pool] = append(out.lifetimes[pool], l)
			continue
		}
		r.ask(&l)
		out.inOrder, named[l.id] = append(out.inOrder, &l), &l
	}
	if s.Jobs != nil {
		r.shared = jobs.shared
		if err := r.jobs(jobs, out, named); err != nil {
			return nil, err
		}
		if err := out.owned(s, jobs); err != nil {
			return nil, err
		}
		out.order()
	}
	for i := range s.Requests {
		w, err := r.request(fmt.Sprintf("$.requests[%d]", i), &s.Requests[i], out.started)
		if err != nil {
			return nil, err
		}
		out.waits = append(out.waits, w)
	}
	return out, out.finish(s, m)
}

// finish puts everything in order, and checks it against the quotas.
func (r *record) finish(s *State, m *sim.Market) error {
	for p := range r.lifetimes {
		slices.SortStableFunc(r.lifetimes[p], func(a, b life) int { return cmp.Compare(a.Granted, b.Granted) })
		for i := range r.lifetimes[p] {
			l := &r.lifetimes[p][i]
			if l.released == r.now { // the policy decides without it
				l.released = max(r.now-1, l.Granted)
			}
			r.turns = append(r.turns, l.Granted, l.until())
		}
	}
	for _, w := range r.waits {
		r.turns = append(r.turns, w.from, w.until)
	}
	slices.Sort(r.turns)
	r.turns = slices.Compact(r.turns)
	want := make([]int, len(r.lifetimes))
	for _, t := range append([]sim.Time{r.started}, r.turns...) {
		if t > r.now {
			break
		}
		r.wants(t, want)
		for p, n := range want {
			under := 0 // under notice: they count, too
			for i := range r.lifetimes[p] {
				if l := &r.lifetimes[p][i]; l.Noticed <= t && t < l.Gone {
					under++
				}
			}
			if q := m.Pool(p).Quota; r.held(p, t) > q || n > q && under == 0 {
				return s.errorAt("$.instances", "%d instances of %s are held or asked for %v after the beginning of the market, but the spec's quota is "+
					"%d: expected a larger quota in the spec, or the end (released, gone) of some of them",
					max(n, r.held(p, t)), m.Pool(p).Name, t.Sub(0), q)
			}
		}
	}
	return nil
}

// held counts the instances of a pool that are paid at an instant, before what the plan of that instant gives back.
func (r *record) held(p int, t sim.Time) (n int) {
	for i := range r.lifetimes[p] {
		if l := &r.lifetimes[p][i]; l.Granted <= t && t < min(l.Gone, l.released) {
			n++
		}
	}
	return n
}

// wants sets by pool what the plan in force after an instant holds.
func (r *record) wants(t sim.Time, into []int) {
	clear(into)
	for p := range r.lifetimes {
		for i := range r.lifetimes[p] {
			if l := &r.lifetimes[p][i]; l.Granted <= t && t < l.until() {
				into[p]++
			}
		}
	}
	for _, w := range r.waits {
		if w.from <= t && t < w.until {
			into[w.pool] += w.n
		}
	}
}

// at reads an instant until now.
func (r *reading) at(path, text string) (sim.Time, error) {
	x, err := instant(text)
	if err != nil {
		return 0, r.state.errorAt(path, "%v", err)
	}
	t := sim.Time(0).Add(x.Since)
	if !x.Calendar.IsZero() {
		if t, err = r.markets.Clock(x.Calendar); err != nil {
			return 0, r.state.errorAt(path, "%v", err)
		}
	}
	if t < 0 {
		return 0, r.state.errorAt(path, "%s is before the market begins: expected an earlier trace (from, from_s), or a later instant", text)
	}
	if t > r.now {
		return 0, r.state.errorAt(path, "%s is after now (%s)", text, r.state.Now)
	}
	return t, nil
}

// optional reads an instant that may be absent, which is Never.
func (r *reading) optional(path, text string, earliest sim.Time, after string) (sim.Time, error) {
	if text == "" {
		return sim.Never, nil
	}
	t, err := r.at(path, text)
	if err == nil && t < earliest {
		return 0, r.state.errorAt(path, "%s is before %s", text, after)
	}
	return t, err
}

// life reads an instance.
func (r *reading) life(path string, x *Instance, started sim.Time) (pool int, l life, err error) {
	if pool, err = r.pool(path, x.Pool, x.Type, x.Zone, x.OnDemand); err != nil {
		return
	}
	l = life{id: x.ID, released: sim.Never}
	if x.Since == "" {
		return pool, l, r.state.errorAt(path, "since is missing, expected the instant at which it was granted")
	}
	if l.Granted, err = r.optional(path+".since", x.Since, started, "started"); err != nil {
		return
	}
	if l.Ready, err = r.optional(path+".ready", x.Ready, l.Granted, "since"); err != nil {
		return
	}
	if l.Noticed, err = r.optional(path+".noticed", x.Noticed, l.Granted, "since"); err != nil {
		return
	}
	if l.released, err = r.optional(path+".released", x.Released, l.Granted, "since"); err != nil {
		return
	}
	if l.Gone, err = r.gone(path+".gone", x, &l, r.market.Pool(pool)); err != nil {
		return
	}
	if end := min(l.Gone, l.released); l.Ready != sim.Never && l.Ready > end {
		err = r.state.errorAt(path+".ready", "%s is after its end", x.Ready)
	} else if l.released < min(l.Gone, l.Noticed) {
		l.Gone, l.Noticed = sim.Never, sim.Never
	}
	return pool, l, err
}

// gone reads when the cloud took or takes an instance: after a notice, in the future perhaps.
func (r *reading) gone(path string, x *Instance, l *life, pool *sim.Pool) (sim.Time, error) {
	if x.Gone != "" && l.Noticed != sim.Never {
		known := r.now
		r.now = l.Noticed.Add(maxNotice)
		defer func() { r.now = known }()
		t, err := r.optional(path, x.Gone, l.Noticed, "noticed")
		return t, err
	}
	switch {
	case x.Gone != "":
		return r.optional(path, x.Gone, l.Granted, "since")
	case l.Noticed == sim.Never:
		return sim.Never, nil
	}
	end := l.Noticed.Add(pool.Notice)
	if end <= r.now && x.Released == "" {
		return 0, r.state.errorAt(strings.TrimSuffix(path, ".gone"), "noticed at %s with a notice of %v, and now is %s: expected gone, when it "+
			"was or will be taken, or released", x.Noticed, pool.Notice, r.state.Now)
	}
	return end, nil
}

// maxNotice is the longest notice that a state can have.
const maxNotice = 24 * 3600e9

// request reads a request.
func (r *reading) request(path string, x *Request, started sim.Time) (w waiting, err error) {
	if w.pool, err = r.pool(path, x.Pool, x.Type, x.Zone, x.OnDemand); err != nil {
		return
	}
	if w.n = x.N; x.N < 1 || x.N > r.market.Pool(w.pool).Quota {
		return w, r.state.errorAt(path+".n", "%d, expected 1 to the spec's quota of %d", x.N, r.market.Pool(w.pool).Quota)
	}
	if x.Since == "" {
		return w, r.state.errorAt(path, "since is missing, expected the instant since which they wait")
	}
	if w.from, err = r.optional(path+".since", x.Since, started, "started"); err == nil {
		w.until, err = r.optional(path+".until", x.Until, w.from, "since")
	}
	return
}

// pool finds a pool by its name, or by type and zone.
func (r *reading) pool(path, name, kind, zone string, onDemand bool) (int, error) {
	var names []string
	found := -1
	for p := range r.market.Pools() {
		x := r.market.Pool(p)
		names = append(names, x.Name)
		is := x.Name == name
		if name == "" {
			is = x.InstanceType == kind && x.OnDemand == onDemand && x.Until == 0 &&
				(x.Zone == zone || x.OnDemand && (x.Region == "" || strings.HasPrefix(zone, x.Region)))
		}
		if is {
			if found >= 0 {
				return 0, r.state.errorAt(path, "%s in zone %q is both %s and %s: expected pool: NAME", kind, zone, names[found], x.Name)
			}
			found = p
		}
	}
	what := fmt.Sprintf("no pool %q in the spec", name)
	switch {
	case found >= 0 && name != "" && (kind != "" || zone != "" || onDemand):
		return 0, r.state.errorAt(path, "pool and type, zone or on_demand, expected the one or the others")
	case found >= 0:
		return found, nil
	case name == "":
		if what = fmt.Sprintf("no pool of type %q in zone %q in the spec", kind, zone); onDemand {
			what = fmt.Sprintf("no pool of type %q on demand in the spec", kind)
		}
		name = strings.TrimPrefix(zone+"/"+kind, "/")
	}
	return 0, r.state.errorAt(path, "%s%s; its pools are %s", what, registry.DidYouMean("; ", name, names), strings.Join(names[:min(len(names), 20)], ", "))
}

// many is the jobs of a spec that are there now.
type many struct {
	work *workload.Workload
	list []workload.Job
	jobs []sim.Job
	over int // that were submitted by now and are not there any more

	shared  bool // all policies plan by tasks, which may share instances
	byTasks bool // the first does
}
