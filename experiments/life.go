package experiments

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/traces"
)

// LifeSpec is a law of how long held machines live, for replays that draw lives
// by luck. Lives are independent: such machines are never lost in bulk.
type LifeSpec struct {
	Law     string  `json:"law" jsonschema:"exponential (machines do not age), bathtub (many die early, few for long, all by an age) or kaplan_meier (as those of a history lived)"`
	MeanH   float64 `json:"mean_h,omitempty" jsonschema:"mean life (exponential)"`
	A       float64 `json:"a_share,omitempty" jsonschema:"A of A (1 - exp(-t/tau1) + exp((t-b)/tau2)), the share that has died by t hours (bathtub)"`
	Tau1H   float64 `json:"tau1_h,omitempty" jsonschema:"tau1: over how long early deaths come (bathtub)"`
	Tau2H   float64 `json:"tau2_h,omitempty" jsonschema:"tau2: over how long late deaths come (bathtub)"`
	BH      float64 `json:"b_h,omitempty" jsonschema:"b: the age around which all die (bathtub)"`
	History string  `json:"history,omitempty" jsonschema:"name of the history with the lives, all of it whatever its from (kaplan_meier)"`
	Pool    string  `json:"pool,omitempty" jsonschema:"name of its pool (kaplan_meier); all its machines if absent"`
	MaxH    float64 `json:"max_h,omitempty" jsonschema:"end of every life, 24 for Google's preemptible VMs; none if absent"`
}

// The laws of lifetimes.
const (
	lawExponential = "exponential"
	lawBathtub     = "bathtub"
	lawKaplanMeier = "kaplan_meier"
)

// Bounds of lives and of their laws' times, hours: a second to a hundred years.
const (
	leastLifeH = 1. / 3600
	mostLifeH  = 100 * 365 * 24
)

// checkLife checks a replay's law of lifetimes.
func (s *Spec) checkLife(at string, r *ReplaySpec) error {
	l, a := r.Life, r.adapter()
	switch draws := (traces.Replay{Adapter: a}).DrawsLives(); {
	case l == nil && a == traces.LaunchOnly:
		return s.at(at, "life is missing: the adapter %s needs a law of lifetimes", a)
	case l == nil:
		return nil
	case !draws:
		return s.at(at+".life", "the adapter %s draws no lives, expected launch_only or lifetime_resample", a)
	case l.Law != lawExponential && l.Law != lawBathtub && l.Law != lawKaplanMeier:
		return s.at(at+".life", "law %q, expected exponential, bathtub or kaplan_meier", l.Law)
	}
	if err := s.checkLifeKeys(at+".life", l); err != nil {
		return err
	}
	if l.Law == lawKaplanMeier && !s.hasHistory(l.History) {
		return s.at(at+".life.history", "%q is not among the histories", l.History)
	}
	if l.Law == lawBathtub {
		if err := l.bathtub().Check(); err != nil {
			return s.at(at+".life", "%v", err)
		}
	}
	return nil
}

// checkLifeKeys refuses a law without its parameters, and with another's.
func (s *Spec) checkLifeKeys(at string, l *LifeSpec) error {
	for _, q := range []struct {
		key   string
		hours float64
	}{{"mean_h", l.MeanH}, {"b_h", l.BH}, {"max_h", l.MaxH}} {
		if q.hours != 0 && !(q.hours >= leastLifeH && q.hours <= mostLifeH) {
			return s.at(at+"."+q.key, "%v, expected %.2g to %v", q.hours, leastLifeH, mostLifeH)
		}
	}
	for _, q := range []struct {
		key, law string
		given    bool
	}{
		{"mean_h", lawExponential, l.MeanH != 0},
		{"a_share", lawBathtub, l.A != 0}, {"tau1_h", lawBathtub, l.Tau1H != 0}, {"tau2_h", lawBathtub, l.Tau2H != 0}, {"b_h", lawBathtub, l.BH != 0},
		{"history", lawKaplanMeier, l.History != ""},
	} {
		if q.given && q.law != l.Law {
			return s.at(at+"."+q.key, "expected none: it is of the law %s, not of %s", q.law, l.Law)
		}
		if !q.given && q.law == l.Law {
			return s.at(at, "%s is missing: the law %s needs it", q.key, l.Law)
		}
	}
	if l.Pool != "" && l.Law != lawKaplanMeier {
		return s.at(at+".pool", "expected none: it is of the law %s, not of %s", lawKaplanMeier, l.Law)
	}
	return nil
}

func (l *LifeSpec) bathtub() traces.Bathtub {
	return traces.Bathtub{A: l.A, Tau1: l.Tau1H, Tau2: l.Tau2H, B: l.BH}
}

// law returns the law, nil where none is given.
func (l *LifeSpec) law(sources map[string]source) (law traces.Lifetime, err error) {
	if l == nil {
		return nil, nil
	}
	switch l.Law {
	case lawExponential:
		law = traces.ExponentialLife(l.MeanH)
	case lawBathtub:
		law = l.bathtub()
	default:
		var pools []int
		src := sources[l.History]
		if l.Pool != "" {
			p, err := src.pool(l.Pool)
			if err != nil {
				return nil, err
			}
			pools = append(pools, p)
		}
		if law, err = traces.RecordedLives(src.set, pools...); err != nil {
			return nil, fmt.Errorf("history %s: %w", l.History, err)
		}
	}
	if l.MaxH > 0 {
		law = traces.Capped{Lifetime: law, Max: time.Duration(l.MaxH * float64(time.Hour))}
	}
	return law, nil
}
