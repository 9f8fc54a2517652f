package advise

import (
	"fmt"
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

// read begins to read a state on a market: when it is, and when the run started.
func (s *State) read(markets *market.Markets, m *sim.Market) (r reading, err error) {
	r = reading{state: s, markets: markets, market: m, now: sim.Never}
	if r.now, err = r.at("$.now", s.Now); err != nil {
		return r, err
	}
	if r.started, err = r.at("$.started", s.Started); err == nil && r.started >= r.now {
		err = s.errorAt("$.started", "%s, expected an instant before now (%s)", s.Started, s.Now)
	}
	return r, err
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
		return 0, r.state.errorAt(path,
			"%s is before the market begins: expected an earlier trace (from, from_s), or a later instant", text)
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
func (r *reading) life(path string, x *Instance) (l life, err error) {
	l = life{id: x.ID, released: sim.Never}
	l.pool, err = r.pool(path, &location{pool: x.Pool, kind: x.Type, zone: x.Zone, onDemand: x.OnDemand})
	if err != nil {
		return l, err
	}
	if x.Since == "" {
		return l, r.state.errorAt(path, "since is missing, expected the instant at which it was granted")
	}
	if l.Granted, err = r.optional(path+".since", x.Since, r.started, "started"); err != nil {
		return l, err
	}
	if l.Ready, err = r.optional(path+".ready", x.Ready, l.Granted, "since"); err != nil {
		return l, err
	}
	if l.Noticed, err = r.optional(path+".noticed", x.Noticed, l.Granted, "since"); err != nil {
		return l, err
	}
	if l.released, err = r.optional(path+".released", x.Released, l.Granted, "since"); err != nil {
		return l, err
	}
	if l.Gone, err = r.gone(path+".gone", x, &l); err != nil {
		return l, err
	}
	if l.Ready != sim.Never && l.Ready > l.end() {
		return l, r.state.errorAt(path+".ready", "%s is after its end", x.Ready)
	}
	if l.released < min(l.Gone, l.Noticed) {
		l.Gone = sim.Never
		l.Noticed = sim.Never
	}
	return l, nil
}

// gone reads when the cloud took or takes an instance: after a notice, in the future perhaps.
func (r *reading) gone(path string, x *Instance, l *life) (sim.Time, error) {
	noticed := l.Noticed != sim.Never
	switch {
	case x.Gone != "" && noticed:
		late := *r
		late.now = l.Noticed.Add(maxNotice)
		return late.optional(path, x.Gone, l.Noticed, "noticed")
	case x.Gone != "":
		return r.optional(path, x.Gone, l.Granted, "since")
	case !noticed:
		return sim.Never, nil
	}
	notice := r.market.Pool(l.pool).Notice
	end := l.Noticed.Add(notice)
	if end <= r.now && x.Released == "" {
		return 0, r.state.errorAt(strings.TrimSuffix(path, ".gone"),
			"noticed at %s with a notice of %v, and now is %s: expected gone, when it "+
				"was or will be taken, or released", x.Noticed, notice, r.state.Now)
	}
	return end, nil
}

// request reads a request.
func (r *reading) request(path string, x *Request) (w waiting, err error) {
	w.pool, err = r.pool(path, &location{pool: x.Pool, kind: x.Type, zone: x.Zone, onDemand: x.OnDemand})
	if err != nil {
		return w, err
	}
	w.n = x.N
	if quota := r.market.Pool(w.pool).Quota; x.N < 1 || x.N > quota {
		return w, r.state.errorAt(path+".n", "%d, expected 1 to the spec's quota of %d", x.N, quota)
	}
	if x.Since == "" {
		return w, r.state.errorAt(path, "since is missing, expected the instant since which they wait")
	}
	if w.from, err = r.optional(path+".since", x.Since, r.started, "started"); err != nil {
		return w, err
	}
	w.until, err = r.optional(path+".until", x.Until, w.from, "since")
	return w, err
}

// location is how a state names a pool: by its name, or by type and zone.
type location struct {
	pool, kind, zone string
	onDemand         bool
}

// names reports whether it names a pool.
func (l *location) names(pool *sim.Pool) bool {
	if l.pool != "" {
		return pool.Name == l.pool
	}
	if pool.InstanceType != l.kind || pool.OnDemand != l.onDemand || pool.Until != 0 {
		return false
	}
	return pool.Zone == l.zone || pool.OnDemand && (pool.Region == "" || strings.HasPrefix(l.zone, pool.Region))
}

// pool finds a pool.
func (r *reading) pool(path string, at *location) (int, error) {
	var names []string
	found := -1
	for p := range r.market.Pools() {
		pool := r.market.Pool(p)
		names = append(names, pool.Name)
		if !at.names(pool) {
			continue
		}
		if found >= 0 {
			return 0, r.state.errorAt(path,
				"%s in zone %q is both %s and %s: expected pool: NAME", at.kind, at.zone, names[found], pool.Name)
		}
		found = p
	}
	switch {
	case found < 0:
		return 0, r.state.errorAt(path, "%s; its pools are %s",
			at.unknown(names), strings.Join(names[:min(len(names), 20)], ", "))
	case at.pool != "" && (at.kind != "" || at.zone != "" || at.onDemand):
		return 0, r.state.errorAt(path, "pool and type, zone or on_demand, expected the one or the others")
	}
	return found, nil
}

// unknown says that none of the pools is meant, and which may be.
func (l *location) unknown(pools []string) string {
	what, name := fmt.Sprintf("no pool %q in the spec", l.pool), l.pool
	if l.pool == "" {
		what = fmt.Sprintf("no pool of type %q in zone %q in the spec", l.kind, l.zone)
		if l.onDemand {
			what = fmt.Sprintf("no pool of type %q on demand in the spec", l.kind)
		}
		name = strings.TrimPrefix(l.zone+"/"+l.kind, "/")
	}
	return what + registry.DidYouMean("; ", name, pools)
}
