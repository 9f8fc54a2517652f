package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/sim"
)

// mostTried bounds the numbers of instances that are tried for the fastest cluster.
const mostTried = 4096

// kind is an instance type, and how many of it can be held at once.
type kind struct {
	name string
	most int
}

// warnUnreachable says which objectives no policy can meet, with the least time that
// the job takes on the fastest cluster, and what limits it: the quotas, the model, boots
// or the capacity in the history.
func (s *Study) warnUnreachable() (warnings []string, err error) {
	kinds := s.kinds()
	types := make([]string, len(kinds))
	for i := range kinds {
		types[i] = kinds[i].name
	}
	for o := range s.Spec.Objectives {
		least := reach{seconds: math.Inf(1)}
		lasting := math.Inf(1) // with the capacity in the history
		for _, of := range s.models {
			model, err := of.On(types)
			if err != nil {
				return nil, err
			}
			job := s.Spec.Job(o, model)
			r := fastest(&job, kinds)
			if r.seconds < least.seconds {
				least = r
			}
			lasting = min(lasting, s.lasting(&r))
		}
		if text := s.unreachable(o, &least, lasting); text != "" {
			warnings = append(warnings, text)
		}
	}
	return warnings, nil
}

// unreachable says that an objective cannot be met, empty if it may.
func (s *Study) unreachable(o int, least *reach, lasting float64) string {
	objective, boot := &s.Spec.Objectives[o], s.Spec.Market.Boot.Distribution()
	first := boot.Median.Seconds() * math.Exp(-3*boot.Sigma) // of a thousand boots, one is faster
	why := ""
	switch within := objective.TimeS; {
	case math.IsInf(least.seconds, 1):
		why = "no cluster within the quotas trains the job to its end"
	case least.seconds > within && least.all:
		why = fmt.Sprintf("the job takes at least %s on %d instances, all that the quotas allow", span(least.seconds), least.n)
	case least.seconds > within:
		why = fmt.Sprintf("the job takes at least %s on %d instances, and by the model it is no faster on more", span(least.seconds), least.n)
	case least.seconds+first > within:
		why = fmt.Sprintf("the job takes at least %s on %d instances, and boots about %s before", span(least.seconds), least.n, span(boot.Median.Seconds()))
	case math.IsInf(lasting, 1) && s.Markets.FromAnywhere():
		why = "the history does not have the capacity: from no start is the job done at its end, even if every instance of it is used"
	case math.IsInf(lasting, 1):
		why = "the history does not have the capacity: the job is not done at its end even if every instance of it is used"
	case lasting > within*(1+1e-9):
		from := ""
		if s.Markets.FromAnywhere() {
			from = " from the best start"
		}
		why = fmt.Sprintf("with the capacity in the history the job takes at least %s%s (%s on %d instances throughout)", span(lasting), from, span(least.seconds), least.n)
	default:
		return ""
	}
	return fmt.Sprintf("objective %s (within %s) cannot be met by any policy: %s", objective.Name, span(objective.TimeS), why)
}

// kinds returns the instance types of the spec, with their quotas on spot and on demand
// in all zones.
func (s *Study) kinds() (all []kind) {
	places := 1
	if x := s.Spec.Market.Synthetic; x != nil {
		regions, zones := x.Size()
		places = regions * zones
	}
	for i := range s.Spec.Market.Pools {
		p := &s.Spec.Market.Pools[i]
		k := slices.IndexFunc(all, func(k kind) bool { return k.name == p.Type })
		if k < 0 {
			k = len(all)
			all = append(all, kind{name: p.Type})
		}
		all[k].most += *p.Quota*places + p.OnDemandQuota
	}
	return all
}

// reach is how fast a job can be trained.
type reach struct {
	seconds float64 // to train it all; +Inf if no cluster can
	n       int     // instances of the fastest cluster
	all     bool    // which are all that can be held
	work    float64
	rate    []float64 // progress a second on at most so many instances
}

// fastest finds the fastest cluster: of one type, or of the fastest types first.
func fastest(job *sim.Job, kinds []kind) reach {
	l := sim.Layout{Workers: make([]int32, len(kinds)), Servers: int32(job.ParameterServers)}
	pipelines, piped := job.Model.(sim.PipelineModel)
	on := func() float64 {
		if piped {
			d, p := pipelines.Best(l.Total())
			l.Pipelines, l.Stages = int32(d), int32(p)
		}
		return job.Model.Rate(&l).Progress
	}
	order, alone := make([]int, len(kinds)), make([]float64, len(kinds))
	total := 0
	for i := range kinds {
		order[i], total = i, total+kinds[i].most
		clear(l.Workers)
		for n := 1; n <= min(kinds[i].most, mostTried) && alone[i] == 0; n++ {
			l.Workers[i] = int32(n)
			alone[i] = on() / float64(n)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(alone[b], alone[a]) })
	out := reach{rate: make([]float64, min(total, mostTried)+1)}
	begin := math.Inf(-1)
	for first := range order {
		clear(l.Workers)
		n := 0
		for _, i := range order[first:] {
			for l.Workers[i] < int32(kinds[i].most) && n < len(out.rate)-1 {
				l.Workers[i]++
				n++
				if rate := on(); rate > 0 {
					out.rate[n] = max(out.rate[n], rate)
					begin = max(begin, job.Model.Begin(&l))
				}
			}
		}
	}
	for n := 1; n < len(out.rate); n++ {
		if out.rate[n] > out.rate[out.n] {
			out.n = n
		}
		out.rate[n] = out.rate[out.n]
	}
	out.work = job.Model.Goal(job.Objective.Loss) - begin
	out.seconds, out.all = out.work/out.rate[out.n], out.n == total
	if out.rate[out.n] == 0 || math.IsNaN(out.seconds) {
		out.seconds = math.Inf(1)
	}
	return out
}

// limitless reports whether the market on demand alone has the fastest cluster.
func (s *Study) limitless(m *sim.Market) bool {
	for p := range m.Pools() {
		if _, limited := m.Capacity(p, 0); limited {
			return false
		}
	}
	return true
}

// span is a time for people, such as 24h or 9h58m.
func span(seconds float64) string {
	text := time.Duration(seconds * 1e9).Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
