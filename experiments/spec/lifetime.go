package spec

import (
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/replay"
)

// Lifetime is a distribution of how long held machines last, for replays that
// draw lifetimes at random. They are independent: such machines are never lost in
// bulk.
type Lifetime struct {
	Distribution string `json:"distribution" was:"law" jsonschema:"exponential (machines do not age), bathtub (many end early, few in between, all by an age) or kaplan_meier (the recorded lifetimes of a history)"`

	MeanH   float64 `json:"mean_h,omitempty" jsonschema:"mean lifetime (exponential)"`
	A       float64 `json:"a_share,omitempty" jsonschema:"A of A (1 - exp(-t/tau1) + exp((t-b)/tau2)), the share that has ended by t hours (bathtub)"`
	Tau1H   float64 `json:"tau1_h,omitempty" jsonschema:"tau1: time constant of early ends (bathtub)"`
	Tau2H   float64 `json:"tau2_h,omitempty" jsonschema:"tau2: time constant of late ends (bathtub)"`
	BH      float64 `json:"b_h,omitempty" jsonschema:"b: the age around which all end (bathtub)"`
	History string  `json:"history,omitempty" jsonschema:"name of the history with the lifetimes, all of it whatever its from (kaplan_meier)"`
	Pool    string  `json:"pool,omitempty" jsonschema:"name of its pool (kaplan_meier); all its machines if absent"`
	MaxH    float64 `json:"max_h,omitempty" jsonschema:"longest lifetime, 24 for Google's preemptible VMs; none if absent"`
}

// The distributions of lifetimes.
const (
	Exponential = "exponential"
	Bathtub     = "bathtub"
	KaplanMeier = "kaplan_meier"
)

// Bounds of lifetimes and of their distributions' times, hours: a second to a
// hundred years.
const (
	leastLifetimeH = 1. / 3600
	mostLifetimeH  = 100 * 365 * 24
)

// checkLifetime checks a replay's distribution of lifetimes.
func (s *Spec) checkLifetime(at string, r *Replay) error {
	l, a := r.Lifetime, r.adapter()
	switch draws := (replay.Replay{Adapter: a}).DrawsLifetimes(); {
	case l == nil && a == replay.LaunchOnly:
		return s.ErrorAt(at, "lifetime is missing: the adapter %s needs a distribution of lifetimes", a)
	case l == nil:
		return nil
	case !draws:
		return s.ErrorAt(at+".lifetime", "the adapter %s draws no lifetimes, expected launch_only or lifetime_resample", a)
	case l.Distribution != Exponential && l.Distribution != Bathtub && l.Distribution != KaplanMeier:
		return s.ErrorAt(at+".lifetime", "distribution %q, expected exponential, bathtub or kaplan_meier", l.Distribution)
	}
	if err := s.checkLifetimeKeys(at+".lifetime", l); err != nil {
		return err
	}
	if l.Distribution == KaplanMeier && !s.hasHistory(l.History) {
		return s.ErrorAt(at+".lifetime.history", "%q is not among the histories", l.History)
	}
	if l.Distribution == Bathtub {
		if err := l.Bathtub().Check(); err != nil {
			return s.ErrorAt(at+".lifetime", "%v", err)
		}
	}
	return nil
}

// checkLifetimeKeys refuses a distribution without its parameters, and with
// another's.
func (s *Spec) checkLifetimeKeys(at string, l *Lifetime) error {
	for _, q := range []struct {
		key   string
		hours float64
	}{{"mean_h", l.MeanH}, {"b_h", l.BH}, {"max_h", l.MaxH}} {
		if q.hours != 0 && !(q.hours >= leastLifetimeH && q.hours <= mostLifetimeH) {
			return s.ErrorAt(at+"."+q.key, "%v, expected %.2g to %v", q.hours, leastLifetimeH, mostLifetimeH)
		}
	}
	for _, q := range []struct {
		key, of string
		given   bool
	}{
		{"mean_h", Exponential, l.MeanH != 0},
		{"a_share", Bathtub, l.A != 0}, {"tau1_h", Bathtub, l.Tau1H != 0}, {"tau2_h", Bathtub, l.Tau2H != 0}, {"b_h", Bathtub, l.BH != 0},
		{"history", KaplanMeier, l.History != ""},
	} {
		if q.given && q.of != l.Distribution {
			return s.ErrorAt(at+"."+q.key, "expected none: it belongs to the distribution %s, not to %s", q.of, l.Distribution)
		}
		if !q.given && q.of == l.Distribution {
			return s.ErrorAt(at, "%s is missing: the distribution %s needs it", q.key, l.Distribution)
		}
	}
	if l.Pool != "" && l.Distribution != KaplanMeier {
		return s.ErrorAt(at+".pool", "expected none: it belongs to the distribution %s, not to %s", KaplanMeier, l.Distribution)
	}
	return nil
}

// Bathtub returns the parameters of the distribution bathtub.
func (l *Lifetime) Bathtub() describe.Bathtub {
	return describe.Bathtub{A: l.A, Tau1: l.Tau1H, Tau2: l.Tau2H, B: l.BH}
}
