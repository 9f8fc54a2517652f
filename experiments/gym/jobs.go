package gym

import (
	"fmt"
	"math"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// clusterTask asks for each of some slots on which GPUs its job is to run.
type clusterTask struct {
	rules  *Rules
	groups []group // of the pools
}

func (*clusterTask) check(r *Rules, _ *spec.Spec) error {
	if r.Slots == 0 {
		r.Slots = DefaultSlots
	}
	if r.Slots < 1 || r.Slots > maxSlots {
		return fmt.Errorf("%d slots, expected 1 to %d", r.Slots, maxSlots)
	}
	if !(r.JobUSDPerHour >= 0 && r.JobUSDPerHour < 1e300) {
		return fmt.Errorf("a job at %v USD/h until it is done, expected a finite number, at least 0", r.JobUSDPerHour)
	}
	return nil
}

func (*clusterTask) policy() sim.Policy { return &scheduler{} }

func (t *clusterTask) open(_ *sim.Config, pools []sim.Pool, r *Rules) {
	t.rules = r
	t.groups = groupsOf(pools)
}

func (*clusterTask) within() time.Duration { return 0 }

func (t *clusterTask) groupNames() (names []string) {
	for i := range t.groups {
		names = append(names, t.groups[i].name)
	}
	return names
}

func (t *clusterTask) actions() (out []Action) {
	for slot := range t.rules.Slots {
		out = append(out, Action{fmt.Sprintf("job %d", slot), len(t.groups) + 1})
	}
	return out
}

func (t *clusterTask) fields() []Field {
	fields := []Field{
		{"elapsed_h", 0, maxHours}, // since the run began
		{"jobs", 0, maxJobs},       // that are there
		{"running", 0, maxJobs},    // of them
		{"without_slot", 0, maxJobs},
	}
	for i := range t.groups {
		name := t.groups[i].name
		gpus := float64(t.groups[i].gpus)
		fields = append(fields, Field{name + " usd_per_h", 0, math.MaxFloat64}, // of a GPU, the lowest of its pools
			Field{name + " gpus", 0, gpus}, // within the quotas
			Field{name + " free", 0, gpus}, // that no job wants
			Field{name + " noticed", 0, gpus})
	}
	for k := range t.rules.Slots {
		slot := fmt.Sprintf("job %d ", k)
		fields = append(fields, Field{slot + "there", 0, 1}, Field{slot + "gpus", 0, maxJobs},
			Field{slot + "on", 0, float64(len(t.groups))}, // the group it runs on, from 1; 0: it waits
			Field{slot + "age_h", 0, maxHours},            // since its submission
			Field{slot + "ran_h", 0, maxHours},            // with GPUs
			Field{slot + "deadline_h", -maxHours, maxHours})
		for i := range t.groups {
			fields = append(fields, Field{slot + "left_h on " + t.groups[i].name, 0, maxHours})
		}
	}
	return fields
}

func (t *clusterTask) play() play {
	return &clusterPlay{task: t, cluster: scheduler{step: t.rules.Step, groups: t.groups}}
}

// clusterPlay is an episode of many jobs.
type clusterPlay struct {
	task    *clusterTask
	cluster scheduler
	jobs    []sim.Job
	tally   tally
}

func (p *clusterPlay) policy() sim.Policy { return &p.cluster }

func (p *clusterPlay) begin(c *sim.Config) {
	clear(p.cluster.choice)
	p.jobs = c.Jobs
	p.tally = tally{at: c.Start}
}

func (p *clusterPlay) copyTo(other play) {
	to := other.(*clusterPlay)
	p.cluster.copyTo(&to.cluster)
	to.task = p.task
	to.jobs = p.jobs
	to.tally = p.tally
}

func (p *clusterPlay) act(v sim.View, choice []int32) error {
	if len(choice) != p.task.rules.Slots {
		return fmt.Errorf("an action of %d numbers, expected %d, one a slot", len(choice), p.task.rules.Slots)
	}
	for slot, group := range choice {
		if group < 0 || int(group) > len(p.task.groups) {
			return fmt.Errorf("job %d on GPUs %d, expected 0 (none) to %d", slot, group, len(p.task.groups))
		}
	}
	p.cluster.choose(v, p.task.rules.Slots, choice)
	return nil
}

func (p *clusterPlay) count(v sim.View) { p.tally.count(v, p.task.rules) }

func (p *clusterPlay) besides() float64 {
	return p.task.rules.JobUSDPerHour*p.tally.hours + p.tally.late
}

func (p *clusterPlay) finish(t *sim.Totals) End { return p.tally.end(t, p.jobs, p.task.rules) }

func (p *clusterPlay) observe(v sim.View, to []float64) []float64 {
	task := p.task
	now := v.Now()
	active := v.ActiveJobs()
	running := 0
	for _, j := range active {
		if v.Job(j).Want() > 0 {
			running++
		}
	}
	to = append(to, span(v.Start(), now), float64(min(len(active), maxJobs)), float64(min(running, maxJobs)),
		float64(max(len(active)-task.rules.Slots, 0)))
	for i := range task.groups {
		usd := math.Inf(1)
		free := 0
		noticed := 0
		for _, pool := range task.groups[i].pools {
			usd = min(usd, v.Price(pool))
			free += v.Free(pool)
			noticed += len(v.Leaving(pool, nil))
		}
		to = append(to, usd, float64(task.groups[i].gpus), float64(free), float64(noticed))
	}
	for slot := range task.rules.Slots {
		if slot >= len(active) {
			to = append(to, make([]float64, slotFields+len(task.groups))...)
			continue
		}
		j := active[slot]
		job := v.Job(j)
		left := maxHours
		if job.Objective().Within != sim.NoDeadline {
			left = span(now, job.Deadline())
		}
		to = append(to, 1, float64(min(gangOf(v, j).Gang(), maxJobs)), float64(p.groupOf(v, j)),
			span(job.Submitted(), now), hours(job.Ran().Seconds()), left)
		for i := range task.groups {
			needs := maxHours
			if speed := speedOn(v, j, &task.groups[i]); speed > 0 {
				needs = hours(job.WorkLeft() / speed)
			}
			to = append(to, needs)
		}
	}
	return to
}

// groupOf is the group on which the plan in force has a job, from 1; 0: it waits.
func (p *clusterPlay) groupOf(v sim.View, j int) int {
	for _, part := range v.Planned(j, nil) {
		return groupWith(p.task.groups, part.Pool)
	}
	return 0
}

// tally is what many jobs have cost besides dollars, until the last decision.
type tally struct {
	at    sim.Time
	there int     // jobs from then on
	hours float64 // of jobs that were there, added up
	late  float64 // USD
}

// count takes in what has become of the jobs by the next decision.
func (t *tally) count(v sim.View, rules *Rules) {
	t.hours += float64(t.there) * v.Now().Sub(t.at).Hours()
	t.at = v.Now()
	t.there = len(v.ActiveJobs())
	for _, change := range v.JobChanges() {
		if job := v.Job(change.Job); change.What == sim.JobFinished {
			t.late += rules.late(v.Now().Sub(job.Submitted()), job.Objective().Within)
		}
	}
}

// end is the same of all jobs at the end of the run.
func (t *tally) end(totals *sim.Totals, jobs []sim.Job, rules *Rules) (end End) {
	t.hours = 0
	t.late = 0
	end = Met
	for j := range totals.Jobs {
		job := &totals.Jobs[j]
		within := jobs[j].Objective.Within
		if job.Elapsed > 0 || job.Finished {
			t.hours += job.Elapsed.Hours()
		}
		t.late += rules.late(job.Elapsed, within) // of one that is not done, so far
		if !job.Finished {
			end = Truncated
		} else if job.Elapsed > within && end == Met {
			end = Late
		}
	}
	return end
}

// late is the price of a job that took so long and had so much time.
func (r *Rules) late(took, within time.Duration) float64 {
	if took <= within {
		return 0
	}
	return r.LateUSD + r.LateUSDPerHour*(took-within).Hours()
}
