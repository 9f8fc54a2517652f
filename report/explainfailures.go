package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

// Failure is a failure of machines that a job had instances on: those that failed at one moment, and what came in their places.
type Failure struct {
	AtS       float64 `json:"t_s"`
	Job       string  `json:"job,omitempty"` // its name, of many jobs
	Failed    string  `json:"failed"`        // instances by pool: 8 H100-3
	Instances int     `json:"instances"`     // how many
	GaveBack  int     `json:"gave_back"`     // instances that the job gave back at that moment: it stopped, or began anew elsewhere

	// The instances that the job was granted next, as many as it lost or had at the time: when the last of them was granted and ready, and
	// where they are. Null where they did not come before the job or the run ended.
	GrantedS *float64 `json:"granted_s"`
	ReadyS   *float64 `json:"ready_s"`
	InPlace  string   `json:"in_place,omitempty"`
}

// AwayS is the time until what failed was replaced by ready instances, below 0 if it was not.
func (f *Failure) AwayS() float64 {
	if f.ReadyS == nil {
		return -1
	}
	return *f.ReadyS - f.AtS
}

// ErrNoFailures says that a run has none to explain.
var ErrNoFailures = errors.New("no machine of a job failed in the run: expected one of a spec with failures (of market.servers, pools or commitments)")

// failures lists the failures that the jobs of a run met, in the order of time.
func (r *run) failures() (out []Failure) {
	type moment struct {
		at  float64
		job int64
	}
	failed, gave, byJob := map[moment]map[string]int{}, map[moment]int{}, map[int64][]*results.Instance{}
	var order []moment
	for i := range r.Instances {
		x := &r.Instances[i]
		byJob[x.Job] = append(byJob[x.Job], x)
		at := moment{x.EndS, x.Job}
		switch x.End {
		case results.Failed:
			if failed[at] == nil {
				failed[at] = map[string]int{}
				order = append(order, at)
			}
			failed[at][x.Pool]++
		case results.Released:
			gave[at]++
		}
	}
	slices.SortFunc(order, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job)) })
	used := map[*results.Instance]bool{}
	for _, at := range order {
		f := Failure{AtS: at.at, Failed: byPool(failed[at]), GaveBack: gave[at]}
		if r.ManyJobs() {
			f.Job = r.jobName(at.job)
		}
		for _, n := range failed[at] {
			f.Instances += n
		}
		f.replace(byJob[at.job], used)
		out = append(out, f)
	}
	return out
}

// replace notes what of a job's instances, in the order of their grants, came in the places of those that it lost.
func (f *Failure) replace(all []*results.Instance, used map[*results.Instance]bool) {
	missing, where := f.Instances+f.GaveBack, map[string]int{}
	granted, ready := f.AtS, f.AtS
	for _, x := range all {
		if missing == 0 {
			break
		}
		if x.GrantedS < f.AtS || used[x] || x.ReadyS == nil || x.EndS == f.AtS {
			continue
		}
		used[x] = true
		where[x.Pool]++
		granted, ready = max(granted, x.GrantedS), max(ready, *x.ReadyS)
		missing--
	}
	if missing == 0 {
		f.GrantedS, f.ReadyS, f.InPlace = &granted, &ready, byPool(where)
	}
}

// jobName is the name of a job by its number.
func (r *run) jobName(number int64) string {
	if i := slices.IndexFunc(r.Jobs, func(j results.Job) bool { return j.Number == number }); i >= 0 {
		return r.Jobs[i].ID
	}
	return fmt.Sprint(number)
}

// byPool writes numbers of instances by pool; of more than three pools the sum.
func byPool(by map[string]int) string {
	names, n := slices.Sorted(maps.Keys(by)), 0
	var text []string
	for _, name := range names {
		n += by[name]
		text = append(text, fmt.Sprintf("%d %s", by[name], name))
	}
	if len(names) > 3 {
		return fmt.Sprintf("%d of %d pools", n, len(names))
	}
	return strings.Join(text, " + ")
}
