package experiments

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// maxTried bounds the numbers of instances that are tried for the fastest cluster.

// warnUnreachable says which objectives no policy can meet, with the least time that
// the job takes on the fastest cluster, and what limits it: the quotas, the model, boots
// or the capacity in the trace.
func (s *Study) warnUnreachable() (warnings []string, err error) {
	if s.Spec.Model.Notebooks != nil || len(s.Spec.Objectives) == 0 {
		return nil, nil // what sessions take is up to their users
	}
	kinds := s.kinds()
	pools := make([]sim.Pool, len(kinds)) // as if all were in one place
	for i := range kinds {
		pools[i].InstanceType = kinds[i].name
	}
	fastest := make([]reach, len(s.models))
	for i, of := range s.models {
		model, err := of.On(pools)
		if err != nil {
			return nil, err
		}
		job := s.Spec.Job(0, model)
		fastest[i] = fastestOf(&job, kinds)
		text, err := s.cannotTrain(i, &job, kinds)
		switch {
		case err != nil:
			return nil, err
		case text != "" && s.Spec.AllPolicies():
			warnings = append(warnings, text)
		case text != "":
			return nil, errors.New(text)
		}
	}
	for o := range s.Spec.Objectives {
		if g := s.Spec.Objectives[o].Goal(); g == policies.MostWork || g == policies.Effective {
			continue // the job need not be done
		}
		smallest := reach{seconds: math.Inf(1)}
		lasting := math.Inf(1) // with the capacity in the trace
		for i := range fastest {
			r := fastest[i].to(s.Spec.Objectives[o].Loss)
			if r.seconds < smallest.seconds {
				smallest = r
			}
			lasting = min(lasting, s.lasting(&r))
		}
		if text := s.unreachable(o, &smallest, lasting); text != "" {
			warnings = append(warnings, text)
		}
	}
	return warnings, nil
}

// unreachable says that an objective cannot be met, empty if it may.
func (s *Study) unreachable(o int, smallest *reach, lasting float64) string {
	objective, boot := &s.Spec.Objectives[o], s.Spec.Market.Boot.Distribution()
	first := boot.Median.Seconds() * math.Exp(-3*boot.Sigma) // of a thousand boots, one is faster
	within := objective.TimeS + 1e-6                         // the world's resolution
	why := ""
	switch {
	case math.IsInf(smallest.seconds, 1):
		why = "no cluster within the quotas trains the job to its end"
	case smallest.seconds > within && smallest.all:
		why = fmt.Sprintf("the job takes at least %s on %s, all that the quotas allow", span(smallest.seconds), instances(smallest.n))
	case smallest.seconds > within:
		why = fmt.Sprintf("the job takes at least %s on %s, and by the model it is no faster on more", span(smallest.seconds), instances(smallest.n))
	case smallest.seconds+first > within:
		why = fmt.Sprintf("the job takes at least %s on %s, and boots about %s before", span(smallest.seconds), instances(smallest.n), span(boot.Median.Seconds()))
	case math.IsInf(lasting, 1) && s.Markets.FromAnywhere():
		why = "the trace does not have the capacity: from no start is the job done at its end, even if every instance of it is used"
	case math.IsInf(lasting, 1):
		why = "the trace does not have the capacity: the job is not done at its end even if every instance of it is used"
	case lasting > within*(1+1e-9) && lasting == s.Spec.Horizon().Seconds():
		why = fmt.Sprintf("with the capacity in the trace the job is not done within the horizon of %s (it takes %s on %s throughout)",
			span(lasting), span(smallest.seconds), instances(smallest.n))
	case lasting > within*(1+1e-9):
		from := ""
		if s.Markets.FromAnywhere() {
			from = " from the best start"
		}
		why = fmt.Sprintf("with the capacity in the trace the job takes at least %s%s (%s on %s throughout)",
			span(lasting), from, span(smallest.seconds), instances(smallest.n))
	default:
		return ""
	}
	return fmt.Sprintf("objective %s (within %s) cannot be met by any policy: %s", objective.Name, span(objective.TimeS), why)
}

// span is a time for people, such as 24h or 9h58m.
func span(seconds float64) string {
	if seconds >= math.MaxInt64/1e9 { // more than a time.Duration holds
		return fmt.Sprintf("%.3g h", seconds/3600)
	}
	text := time.Duration(seconds * 1e9).Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// instances counts instances.
func instances(n int) string {
	if n == 1 {
		return "1 instance"
	}
	return fmt.Sprintf("%d instances", n)
}
