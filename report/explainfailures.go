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

// Failure is a failure of machines that a job had instances on: those that failed at one moment, and what came in
// their places.
type Failure struct {
	AtS       float64 `json:"t_s"`
	Job       string  `json:"job,omitempty"` // its name, of many jobs
	Failed    string  `json:"failed"`        // instances by pool: 8 H100-3
	Instances int     `json:"instances"`     // how many
	// instances that the job gave back at that moment: it stopped, or began anew elsewhere
	GaveBack int `json:"gave_back"`

	// The instances that the job was granted next, as many as it lost or had at the time: when the last of them was
	// granted and ready, and where they are. Null where they did not come before the job or the run ended.
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
var ErrNoFailures = errors.New("no machine of a job failed or was slow in the run: " +
	"expected one of a spec with failures or slow (of market.servers, pools or commitments)")

// Slow is a time in which a machine that a job held was slow.
type Slow struct {
	Job     string   `json:"job,omitempty"` // its name, of many jobs
	Machine string   `json:"machine"`       // the pool, and the number of its instance: H100-3
	FromS   float64  `json:"from_s"`
	UntilS  float64  `json:"until_s"` // it was not slow, or not held, any more
	Times   float64  `json:"times"`   // how many times as long it made steps by itself
	SeenS   *float64 `json:"seen_s"`  // null: never
	Did     string   `json:"did"`     // what was done: kept, rebalanced, moved, replaced or false alarm
	DidS    *float64 `json:"did_s"`   // null: it was kept
	// what the job loses if it is kept, from then (or from FromS) until its episode or the run ends, and what a
	// replacement takes, as was believed, 0 where nobody says it
	KeepS    float64 `json:"keep_s"`
	ReplaceS float64 `json:"replace_s"`
}

// slow lists the times in which machines of jobs were slow.
func (r *run) slow() (out []Slow) {
	for i := range r.Slow {
		x := &r.Slow[i]
		one := Slow{Machine: fmt.Sprintf("%s-%d", x.Pool, x.Machine), FromS: x.FromS, UntilS: x.UntilS, Times: x.Times,
			SeenS: x.SeenS, Did: x.Did, DidS: x.DidS, KeepS: x.KeepS(r.end()), ReplaceS: x.CostS}
		if r.ManyJobs() {
			one.Job = r.jobName(x.Job)
		}
		if x.Times == 1 {
			one.Did = "false alarm: " + one.Did
		}
		out = append(out, one)
	}
	return out
}

// failures lists the failures that the jobs of a run met, in the order of time.
func (r *run) failures() (out []Failure) {
	type moment struct {
		at  float64
		job int64
	}
	failed := map[moment]map[string]int{} // instances by pool
	gave := map[moment]int{}
	byJob := map[int64][]*results.Instance{}
	var order []moment
	for i := range r.Instances {
		instance := &r.Instances[i]
		byJob[instance.Job] = append(byJob[instance.Job], instance)
		at := moment{instance.EndS, instance.Job}
		switch instance.End {
		case results.Failed:
			if failed[at] == nil {
				failed[at] = map[string]int{}
				order = append(order, at)
			}
			failed[at][instance.Pool]++
		case results.Released:
			gave[at]++
		}
	}
	slices.SortFunc(order, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job))
	})
	used := map[*results.Instance]bool{}
	for _, at := range order {
		failure := Failure{AtS: at.at, Failed: byPool(failed[at]), GaveBack: gave[at]}
		if r.ManyJobs() {
			failure.Job = r.jobName(at.job)
		}
		for _, count := range failed[at] {
			failure.Instances += count
		}
		failure.replace(byJob[at.job], used)
		out = append(out, failure)
	}
	return out
}

// replace notes what of a job's instances, in the order of their grants, came in the places of those that it lost.
func (f *Failure) replace(all []*results.Instance, used map[*results.Instance]bool) {
	missing := f.Instances + f.GaveBack
	where := map[string]int{}
	granted := f.AtS
	ready := f.AtS
	for _, instance := range all {
		if missing == 0 {
			break
		}
		if instance.GrantedS < f.AtS || used[instance] || instance.ReadyS == nil || instance.EndS == f.AtS {
			continue
		}
		used[instance] = true
		where[instance.Pool]++
		granted = max(granted, instance.GrantedS)
		ready = max(ready, *instance.ReadyS)
		missing--
	}
	if missing == 0 {
		f.GrantedS = &granted
		f.ReadyS = &ready
		f.InPlace = byPool(where)
	}
}

// jobName is the name of a job by its number.
func (r *run) jobName(number int64) string {
	if at := slices.IndexFunc(r.Jobs, func(j results.Job) bool { return j.Number == number }); at >= 0 {
		return r.Jobs[at].ID
	}
	return fmt.Sprint(number)
}

// byPool writes numbers of instances by pool; of more than three pools the sum.
func byPool(by map[string]int) string {
	names := slices.Sorted(maps.Keys(by))
	sum := 0
	var text []string
	for _, name := range names {
		sum += by[name]
		text = append(text, fmt.Sprintf("%d %s", by[name], name))
	}
	if len(names) > 3 {
		return fmt.Sprintf("%d of %d pools", sum, len(names))
	}
	return strings.Join(text, " + ")
}
