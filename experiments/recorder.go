package experiments

import (
	"math"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/sim"
)

// label says which run a row belongs to.
type label struct {
	run                         int64
	policy, scenario, objective string
	seed                        int64
}

// recorder is a sim.Recorder that keeps the rows of what happened in one run. Decisions are kept if they change the
// plan or answer something other than the policy's own timer; the summary counts all.
type recorder struct {
	label     label
	market    *sim.Market
	start     sim.Time
	jobs      []workload.Job // of a run of many jobs; nil: of one
	model     sim.Model      // of a run of one job
	rows      results.Set
	instances map[[2]int]int // where in its rows the n-th of a pool is, while it is held

	spanRows
	plans
}

// newRecorder returns a recorder of a run of many jobs, or of one job if jobs is nil.
func newRecorder(l label, m *sim.Market, start sim.Time, jobs []workload.Job, model sim.Model) *recorder {
	r := &recorder{label: l, market: m, start: start, jobs: jobs, model: model, instances: map[[2]int]int{}}
	r.plans = plans{hold: map[int][]sim.Part{}, reported: map[string]sim.Candidate{}}
	r.spanRows = newSpanRows(l, m, start, jobs != nil)
	return r
}

// elapsed returns the seconds from the start of the run.
func (r *recorder) elapsed(t sim.Time) float64 { return t.Sub(r.start).Seconds() }

// Instance implements sim.InstanceRecorder.
func (r *recorder) Instance(now sim.Time, j, p, n int, what sim.InstanceEvent) {
	at, id := r.elapsed(now), [2]int{p, n}
	if what == sim.InstanceGranted {
		facts := r.market.Pool(p)
		r.instances[id] = len(r.rows.Instances)
		r.rows.Instances = append(r.rows.Instances, results.Instance{Run: r.label.run, Policy: r.label.policy, Pool: facts.Name,
			Job: int64(j), InstanceType: facts.InstanceType, Market: marketOf(facts), Number: int64(n), GrantedS: at, End: results.Held})
		return
	}
	x := &r.rows.Instances[r.instances[id]]
	switch what {
	case sim.InstanceReady:
		x.ReadyS = &at
	case sim.InstanceNoticed:
		x.NoticedS = &at
	default:
		x.EndS, x.End = at, endOf(what)
		delete(r.instances, id)
	}
}

// Task implements sim.InstanceRecorder.
func (r *recorder) Task(from, until sim.Time, j, task, p, n int, end sim.InstanceEvent) {
	r.rows.Tasks = append(r.rows.Tasks, results.Task{Run: r.label.run, Policy: r.label.policy, Job: int64(j), Task: int64(task),
		Pool: r.market.Pool(p).Name, Instance: int64(n), StartS: r.elapsed(from), EndS: r.elapsed(until), End: endOf(end)})
}

// Outage implements sim.InstanceRecorder.
func (r *recorder) Outage(from, until sim.Time, p, m int, cause sim.OutageCause) {
	facts := r.market.Pool(p)
	x := results.Outage{Run: r.label.run, Policy: r.label.policy, Pool: facts.Name, InstanceType: facts.InstanceType, Machine: int64(m),
		FromS: r.elapsed(from), UntilS: math.Inf(1), Cause: [...]string{"failed", "misdiagnosed", "recorded"}[cause]}
	if until != sim.Never {
		x.UntilS = r.elapsed(until)
	}
	r.rows.Outages = append(r.rows.Outages, x)
}

// endOf says how an instance, or a task on one, ended.
func endOf(e sim.InstanceEvent) string {
	switch e {
	case sim.InstanceRevoked:
		return results.Revoked
	case sim.InstanceReleased:
		return results.Released
	case sim.InstanceFailed:
		return results.Failed
	}
	return results.Held
}

// close notes the end of the run for the instances that are still held, and ends the rows of pools.
func (r *recorder) close(end sim.Time) {
	for g, open := range r.open {
		if open >= 0 {
			r.end(g, &r.now)
		}
	}
	for _, i := range r.instances {
		r.rows.Instances[i].EndS = r.elapsed(end)
	}
	for i := range r.rows.Outages {
		x := &r.rows.Outages[i]
		switch last := r.elapsed(end); {
		case x.UntilS <= last:
			x.End = results.Repaired
		case math.IsInf(x.UntilS, 1) && x.Cause != "recorded":
			x.End, x.UntilS = results.Retired, last
		default:
			x.End, x.UntilS = results.Down, last
		}
	}
}

func marketOf(p *sim.Pool) string {
	if p.OnDemand {
		return results.OnDemand
	}
	return results.Spot
}

// plans is what a recorder knows of the plans for many jobs.
type plans struct {
	running int32 // jobs, at present
	waiting int32
	wanted  int32 // GPUs that they ask for
	used    int   // GPUs that the running jobs hold by their plans

	parts    []sim.Part               // scratch
	hold     map[int][]sim.Part       // by job: what it holds by the last plan, if anything
	changes  []string                 // what the last decision changed, in brief
	reported map[string]sim.Candidate // by job: what the scheduler last said of it
}
