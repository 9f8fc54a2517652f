package spec

import (
	"github.com/marigram/marigram/traces/replay"
)

// Bounds of lifetimes and of their distributions' times, hours: a second to a
// hundred years.
const (
	leastLifetimeH = 1. / 3600
	mostLifetimeH  = 100 * 365 * 24
)

// checkReplay refuses settings out of range, and those that would not count.
func (s *Spec) checkReplay(at string, r *Replay) error {
	if _, err := victim(r.Victim); err != nil {
		return s.ErrorAt(at+".victim", "%v", err)
	}
	if a, err := replay.AdapterNamed(r.Adapter); r.Adapter != "" && (err != nil || a == replay.Unlimited) {
		return s.ErrorAt(at+".adapter", "%q, expected count_cap, binary_all, per_event, launch_only, lifetime_resample or bid", r.Adapter)
	}
	a := r.adapter()
	missing, scale, copies, bid := valueOr(r.NoticeMissing, 0), valueOr(r.Scale, 1), valueOr(r.Copies, 1), valueOr(r.BidUSDPerH, 0)
	switch {
	case r.NoticeS != nil && (*r.NoticeS < 0 || *r.NoticeS > 86400):
		return s.ErrorAt(at+".notice_s", "%v, expected 0 to 86400", *r.NoticeS)
	case missing < 0 || missing > 1:
		return s.ErrorAt(at+".notice_missing", "%v, expected a probability, 0 to 1", missing)
	case scale <= 0 || scale > 1000:
		return s.ErrorAt(at+".scale", "%v, expected more than 0 and at most 1000", scale)
	case r.Scale != nil && a != replay.CountCap && a != replay.LaunchOnly:
		return s.ErrorAt(at+".scale", "%v, expected none with the adapter %s", scale, a)
	case copies < 1 || copies > 1000 || copies > 1 && scale != 1:
		return s.ErrorAt(at+".copies", "%d, expected 1 to 1000 and no scale", copies)
	case bid < 0 || bid > 1e4 || (a == replay.Bid) != (r.BidUSDPerH != nil) || a == replay.Bid && bid == 0:
		return s.ErrorAt(at, "bid_usd_per_h is %v, expected a price above 0 with the adapter bid, and none with another", bid)
	}
	return s.checkLifetime(at, r)
}

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
		{"a_share", Bathtub, l.A != 0}, {"tau1_h", Bathtub, l.Tau1H != 0}, {"tau2_h", Bathtub, l.Tau2H != 0},
		{"b_h", Bathtub, l.BH != 0},
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
		return s.ErrorAt(at+".pool", "expected none: it belongs to the distribution %s, not to %s", KaplanMeier,
			l.Distribution)
	}
	return nil
}
