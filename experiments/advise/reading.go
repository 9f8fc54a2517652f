package advise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/sim"
)

// reading reads the instants and pools of a state.
type reading struct {
	state   *State
	markets *market.Markets
	market  *sim.Market
	now     sim.Time
	started sim.Time
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
			return r.state.errorAt(path, "%s holds %d of the %d GPUs that it needs all at once: expected %d, or none", x.ID, len(held), gang, gang)
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

// ask notes when an instance was asked for: in pools where a grant takes its time so long before, which is not before
// the run.
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
		if l.Granted < submitted {
			return nil, r.state.errorAt(fmt.Sprintf("%s[%d]", path, k), "%q is held since before the job was submitted", id)
		}
		if min(l.Gone, l.released) <= r.now {
			return nil, r.state.errorAt(fmt.Sprintf("%s[%d]", path, k), "%q is gone: expected instances that the job has now", id)
		}
		held = append(held, l)
	}
	return held, nil
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
