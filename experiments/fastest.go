package experiments

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

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
