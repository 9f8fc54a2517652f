package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
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

const maxTried = 4096

// kind is an instance type, and how many of it can be held at once.
type kind struct {
	name string
	max  int
}

// kinds returns the instance types of the spec, with their quotas on spot and on demand
// in all zones.
func (s *Study) kinds() (all []kind) {
	for _, q := range s.Spec.TypeQuotas() {
		all = append(all, kind{q.Type, q.N})
	}
	return all
}

// reach is how fast a job can be trained.
type reach struct {
	seconds float64 // to train it all; +Inf if no cluster can
	n       int     // instances of the fastest cluster
	all     bool    // which are all that can be held
	work    float64
	rate    []float64 // progress a second on at most n instances

	model sim.Model
	begin float64 // the progress that training begins at
}

// fastestOf finds the fastest cluster: of one type, or of the fastest types first.
func fastestOf(job *sim.Job, kinds []kind) reach {
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
		order[i], total = i, total+kinds[i].max
		clear(l.Workers)
		for n := 1; n <= min(kinds[i].max, maxTried) && alone[i] == 0; n++ {
			l.Workers[i] = int32(n)
			alone[i] = on() / float64(n)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(alone[b], alone[a]) })
	out := reach{rate: make([]float64, min(total, maxTried)+1), model: job.Model, begin: math.Inf(-1)}
	for first := range order {
		clear(l.Workers)
		n := 0
		for _, i := range order[first:] {
			for l.Workers[i] < int32(kinds[i].max) && n < len(out.rate)-1 {
				l.Workers[i]++
				n++
				if rate := on(); rate > 0 {
					out.rate[n] = max(out.rate[n], rate)
					out.begin = max(out.begin, job.Model.Begin(&l))
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
	out.all = out.n == total
	return out
}

// to returns how fast a loss is reached.
func (r reach) to(loss float64) reach {
	r.work = r.model.Goal(loss) - r.begin
	r.seconds = r.work / r.rate[r.n]
	if r.rate[r.n] == 0 || math.IsNaN(r.seconds) {
		r.seconds = math.Inf(1)
	}
	return r
}

// lasting returns the least seconds that a job takes if it uses every instance that the
// trace has, and all on demand: from the beginning of the trace or, where runs begin
// at any instant, from the best of them. It is +Inf if the job is not done at the end of
// the trace. Where each seed has a market of its own it is no limit.
func (s *Study) lasting(r *reach) float64 {
	m := s.Markets.Shared()
	if m == nil || math.IsInf(r.seconds, 1) || s.limitless(m) {
		return r.seconds
	}
	p := progressOn(m, r.rate)
	if !s.Markets.FromAnywhere() {
		return s.within(p.from(0, r.work), m)
	}
	last := s.Markets.LastStart().Seconds()
	smallest := math.Inf(1)
	try := func(start float64) {
		if start >= 0 && start <= last {
			smallest = min(smallest, p.from(start, r.work))
		}
	}
	// Progress is linear between changes: the shortest run begins or ends at one.
	try(last)
	for i, at := range p.at {
		try(at)
		try(p.until(i, r.work))
	}
	return smallest
}

// within is a time of a job, where a trace is known until the horizon of a run only: if
// the job is not done then, it is the horizon.
func (s *Study) within(seconds float64, m *sim.Market) float64 {
	if horizon := s.Spec.Horizon().Seconds(); math.IsInf(seconds, 1) && m.End().Sub(0).Seconds() >= horizon {
		return horizon
	}
	return seconds
}

// progress is what a job on all instances of a market has done by each instant at which
// their number changes: the first at 0, the last at the end of the market.
type progress struct{ at, done, rate []float64 }

// progressOn adds up the rates of n instances; beyond the last, of that many.
func progressOn(m *sim.Market, rate []float64) (p progress) {
	done := 0.0
	for _, c := range append(m.TotalCapacity(), sim.Capacity{At: m.End()}) {
		at := c.At.Sub(0).Seconds()
		if n := len(p.at); n > 0 {
			done += p.rate[n-1] * (at - p.at[n-1])
		}
		p.at, p.done, p.rate = append(p.at, at), append(p.done, done), append(p.rate, rate[min(c.N, len(rate)-1)])
	}
	return p
}

// from returns the seconds that work takes from an instant, in seconds; +Inf if it is not
// done at the end.
func (p *progress) from(start, work float64) float64 {
	i := max(sort.SearchFloat64s(p.at, math.Nextafter(start, math.Inf(1)))-1, 0)
	goal := p.done[i] + p.rate[i]*(start-p.at[i]) + work
	k := sort.SearchFloat64s(p.done, goal)
	if k == len(p.done) {
		return math.Inf(1)
	}
	if k == 0 {
		return 0
	}
	return p.at[k-1] + (goal-p.done[k-1])/p.rate[k-1] - start
}

// until returns the last start, in seconds, from which work is done by change i; negative
// if there is none.
func (p *progress) until(i int, work float64) float64 {
	begin := p.done[i] - work
	if begin < 0 {
		return -1
	}
	k := sort.SearchFloat64s(p.done, math.Nextafter(begin, math.Inf(1))) - 1 // the last change not after it
	if p.rate[k] == 0 {
		return p.at[k]
	}
	return p.at[k] + (begin-p.done[k])/p.rate[k]
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

// cannotTrain says that the i-th policy holds a fixed number of instances of one pool on which the job cannot train, and
// the smallest on which it can; empty if that is not so.
func (s *Study) cannotTrain(i int, job *sim.Job, kinds []kind) (string, error) {
	policy, err := s.Spec.Policies[i].New()
	if err != nil {
		return "", err
	}
	for _, x := range policies.Settings(policy) {
		n, is := x.Value.(float64)
		if x.Name != "instances" || !is || x.Min < 1 || trainsOn(job, kinds, int(n)) {
			continue
		}
		name := s.Spec.Policies[i].Name
		for smallest := 1; smallest <= maxTried; smallest++ {
			if trainsOn(job, kinds, smallest) {
				return fmt.Sprintf("policy %s holds %d of one pool (instances), on which the job cannot train: expected at least %d "+
					"(-s policy.%s.instances=%d)", name, int(n), smallest, name, smallest), nil
			}
		}
	}
	return "", nil
}

// trainsOn reports whether a job trains on n instances of one kind.
func trainsOn(job *sim.Job, kinds []kind, n int) bool {
	l := sim.Layout{Workers: make([]int32, len(kinds)), Servers: int32(max(job.ParameterServers, 1))}
	if m, piped := job.Model.(sim.PipelineModel); piped {
		if _, workers := job.Model.(sim.WorkerModel); !workers {
			d, p := m.Best(n)
			l.Pipelines, l.Stages = int32(d), int32(p)
		}
	}
	for k := range kinds {
		clear(l.Workers)
		l.Workers[k] = int32(n)
		if job.Model.Rate(&l).Progress > 0 {
			return true
		}
	}
	return false
}
