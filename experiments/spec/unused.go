package spec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/spec/cluster"
	"github.com/marigram/marigram/internal/fields"
	"github.com/marigram/marigram/traces/replay"
)

// Unused is a part of a spec that changes no result, because something more specific
// stands in its place or nothing uses it.
type Unused struct {
	Path string // as of a Setting; what is below it changes nothing either
	Why  string

	required bool // a spec has to have it all the same
}

// Unused returns the parts of the spec that change no result, whether they are set or
// not: a sweep over one of them would make the same runs again.
func (s *Spec) Unused() (all []Unused) {
	add := func(path, format string, args ...any) {
		all = append(all, Unused{Path: path, Why: fmt.Sprintf(format, args...)})
	}
	s.unusedReplay(add)
	s.unusedTraces(add)
	s.unusedBilling(add)
	s.unusedBoot(add)
	return append(all, s.unusedOwn()...)
}

// WhyUnused returns why the value of a path, as of a Setting, changes no result; empty
// where it may.
func (s *Spec) WhyUnused(path string, value any) string {
	unused := s.Unused()
	why := func(path string) string {
		for _, u := range unused {
			if path == u.Path || strings.HasPrefix(path, u.Path+".") {
				return u.Why
			}
		}
		return ""
	}
	if m, is := value.(map[string]any); is && why(path) == "" {
		reason := ""
		for _, key := range slices.Sorted(maps.Keys(m)) { // of a section all
			if reason = why(path + "." + key); reason == "" {
				return ""
			}
		}
		return reason
	}
	return why(path)
}

// warnUnused says which values that are set change nothing.
func (s *Spec) warnUnused() (warnings []string) {
	for _, u := range s.Unused() {
		if line := s.line(u.Path); !u.required && (line != "" || s.doc.Sets(u.Path)) {
			warnings = append(warnings, fmt.Sprintf("%s%s has no effect: %s", u.Path, line, u.Why))
		}
	}
	return warnings
}

// line returns " (line 12)", where the file has a path of a Setting; empty where it has
// not.
func (s *Spec) line(path string) string {
	at := "$"
	for key := range strings.SplitSeq(path, ".") {
		if strings.Trim(key, "0123456789") == "" {
			at += "[" + key + "]"
		} else {
			at += "." + key
		}
	}
	if n := s.doc.Line(at); n > 0 {
		return fmt.Sprintf(" (line %d)", n)
	}
	return ""
}

// unusedReplay finds keys of the market's replay that every pool has of its own, and
// those that no adapter uses.
func (s *Spec) unusedReplay(add func(path, format string, args ...any)) {
	if len(s.Market.Pools) == 0 {
		add("market.replay", "there is no spot pool")
		return
	}
	t := reflect.TypeFor[Replay]()
	for k := range t.NumField() {
		key := fields.Key(t.Field(k))
		var own, idle []string
		for i := range s.Market.Pools {
			p, at := &s.Market.Pools[i], fmt.Sprintf("market.pools.%d.replay", i)
			why := s.idle(p, key)
			if key == "adapter" && s.ownReplay(p, k) && s.ReplayOf(&Pool{}).adapter() != replay.CountCap {
				why = "" // the market's adapter would be an error in a pool without capacity
			}
			switch {
			case s.ownReplay(p, k):
				if line := s.line(at + "." + key); line != "" {
					own = append(own, at+"."+key+line)
				} else {
					own = append(own, at+s.line(at))
				}
				if why != "" {
					add(at+"."+key, "%s", why)
				}
			case why != "":
				idle = append(idle, why)
			}
		}
		switch n := len(s.Market.Pools); {
		case len(own) == n:
			add("market.replay."+key, "every pool has its own: %s", strings.Join(own, ", "))
		case len(own)+len(idle) == n:
			add("market.replay."+key, "%s", strings.Join(slices.Concat(slices.Compact(idle), own), "; "))
		}
	}
}

// ownReplay reports whether the k-th key of a pool's replay replaces the
// market's.
func (s *Spec) ownReplay(p *Pool, k int) bool {
	return p.Replay != nil && !reflect.ValueOf(p.Replay).Elem().Field(k).IsZero()
}

// idle returns why a pool's replay does not use a key, empty where it may.
func (s *Spec) idle(p *Pool, key string) string {
	a := s.ReplayOf(p).adapter()
	switch {
	case p.Typical() != "":
		return ""
	case s.Market.Synthetic == nil && s.Capacity(p) == nil && (a == replay.CountCap || a == replay.PerEvent):
		pool := strings.TrimPrefix(p.Zone+"/"+p.Type, "/")
		return fmt.Sprintf("pool %s has no capacity: its instances are never preempted", pool)
	case key == "victim" && a != replay.CountCap:
		return fmt.Sprintf("the adapter %s does not choose victims", a)
	}
	return ""
}

// unusedTraces finds traces that no pool refers to.
func (s *Spec) unusedTraces(add func(path, format string, args ...any)) {
	for i := range s.Market.Traces {
		h := &s.Market.Traces[i]
		of := func(x *Series) bool { return x != nil && x.Trace == h.Name }
		used := func(p Pool) bool {
			l := s.ReplayOf(&p).Lifetime
			return of(p.Prices) || of(p.Capacity) || l != nil && l.Trace == h.Name
		}
		if !slices.ContainsFunc(s.Market.Pools, used) {
			add(fmt.Sprintf("market.traces.%d", i), "no pool uses the trace %s", h.Name)
		}
	}
}

// unusedBoot finds a boot where nothing is rented.
func (s *Spec) unusedBoot(add func(path, format string, args ...any)) {
	rented := func(x cluster.Servers) bool { return x.OnDemand }
	if m := &s.Market; s.FixedCluster() && !slices.ContainsFunc(m.Servers, rented) {
		add("market.boot", "servers are there from the beginning, and nothing is rented")
	}
}

func (s *Spec) unusedBilling(add func(path, format string, args ...any)) {
	b := &s.Market.Billing
	s.Workload().findUnusedStorage(add)
	if b.StorageGB == 0 {
		add("market.billing.storage_usd_per_gb_month", "storage_gb is not set: nothing is stored")
	}
	if b.DiskGB == 0 {
		add("market.billing.disk_usd_per_gb_month", "disk_gb is not set: instances have no disk of their own")
	}
	if b.DiskUSDPerGBMonth == 0 {
		add("market.billing.disk_gb", "disk_usd_per_gb_month is not set: disks are free")
	}
	if b.SkipParameterServers {
		add("market.billing.parameter_server_usd_per_h", "skip_parameter_servers is true")
	}
}

// unusedOwn finds keys of the model that every policy has of its own.
func (s *Spec) unusedOwn() (all []Unused) {
	kind, job := s.kind()
	if kind == nil || kind.Own == nil {
		return nil
	}
	rules, _ := fields.Rules(reflect.TypeOf(job).Elem())
	for _, rule := range rules {
		has := func(p Policy) bool { return slices.Contains(p.Own.Given(kind), rule.Key) }
		if slices.ContainsFunc(s.Policies, func(p Policy) bool { return !has(p) }) {
			continue
		}
		all = append(all, Unused{
			Path:     strings.TrimPrefix(kind.Path(), "$.") + "." + rule.Key,
			Why:      "every policy has a " + rule.Key + " of its own",
			required: rule.Required,
		})
	}
	return all
}
