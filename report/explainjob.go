package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/experiments/results"
)

// JobStory says what became of one of many jobs, and why it waited.
type JobStory struct {
	Job    results.Job `json:"job"`
	Phases []JobPhase  `json:"phases"` // in order of time, without gaps
}

// JobPhase is a time in which a job had its GPUs, or waited for them.
type JobPhase struct {
	FromS  float64 `json:"from_s"`
	UntilS float64 `json:"until_s"`
	Where  string  `json:"where,omitempty"` // what it had; empty: it waited
	Ended  string  `json:"ended"`           // by what

	// Of a wait.
	MaxFree    int32       `json:"most_free,omitempty"`     // GPUs of the cluster at one time that no job had
	EnoughS    float64     `json:"enough_free_s,omitempty"` // how long enough were free for it
	Ahead      []string    `json:"ahead,omitempty"`         // jobs submitted before it that waited when it began
	Holders    []JobHolder `json:"holders,omitempty"`       // who had the GPUs meanwhile, the most first
	Decision   string      `json:"decision,omitempty"`      // what the scheduler did when it began
	DecidedS   float64     `json:"decided_s,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	SaidReason string      `json:"said,omitempty"` // what it said of the job
}

// JobHolder is a job that had GPUs while another waited.
type JobHolder struct {
	JobID   string  `json:"job_id"`
	GPUH    float64 `json:"gpu_h"`
	Earlier bool    `json:"submitted_earlier"`
}

// maxHolders bounds the jobs that are named.
const maxHolders = 5

// story says what became of a job of the run, by its name or else by its number.
func (r *run) story(job string) (*JobStory, error) {
	jobs := r.Jobs
	if !r.ManyJobs() || len(jobs) == 0 {
		return nil, errors.New("the run is of one job: expected --at TIME instead of --job")
	}
	j := slices.IndexFunc(jobs, func(x results.Job) bool { return x.ID == job })
	if n, err := strconv.Atoi(job); j < 0 && err == nil && n >= 0 && n < len(jobs) {
		j = n
	}
	if j < 0 {
		return nil, fmt.Errorf("no job %q in run %d: it has %d jobs, from %s to %s", job, r.Run, len(jobs), jobs[0].ID, jobs[len(jobs)-1].ID)
	}
	e := r.begin(&jobs[j], r.hadByJob())
	for k := range e.Phases {
		p := &e.Phases[k]
		if p.Where != "" {
			continue
		}
		p.free(r, &e.Job)
		p.others(r, jobs, &e.Job)
	}
	return e, nil
}

// begin says when a job had what it needs, of what all jobs had.
func (r *run) begin(job *results.Job, had map[int64][]results.Instance) *JobStory {
	e := &JobStory{Job: *job}
	e.phases(had[job.Number], r.end())
	return e
}

// hadByJob lists by the number of a job which instances it had.
func (r *run) hadByJob() map[int64][]results.Instance {
	by := map[int64][]results.Instance{}
	for _, x := range r.Instances {
		by[x.Job] = append(by[x.Job], x)
	}
	return by
}

// phases finds when the job had its GPUs.
func (e *JobStory) phases(had []results.Instance, end float64) {
	type change struct {
		at   float64
		n    int32
		pool string
		end  string
	}
	var changes []change
	need := e.Job.GPUs
	for _, x := range had {
		changes = append(changes, change{x.GrantedS, 1, x.Pool, ""}, change{x.EndS, -1, x.Pool, x.End})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	held := map[string]int32{}
	at, where, total := e.Job.SubmitS, "", int32(0)
	add := func(until float64, next, ended string) {
		if until > at && where != next {
			e.Phases = append(e.Phases, JobPhase{FromS: at, UntilS: until, Where: where, Ended: ended})
			at = until
		}
		where = next
	}
	for k := 0; k < len(changes); {
		now, ended := changes[k].at, ""
		for ; k < len(changes) && changes[k].at == now; k++ {
			c := &changes[k]
			held[c.pool] += c.n
			total += c.n
			if c.end == results.Revoked || ended == "" {
				ended = c.end
			}
		}
		next := ""
		if total >= need {
			next = places(held)
		}
		add(now, next, ended)
	}
	where = "-" + where // so that the last phase ends
	last := JobPhase{FromS: at, UntilS: end, Where: where[1:], Ended: "the end of the run"}
	if e.Job.FinishS == nil && end > at {
		e.Phases = append(e.Phases, last)
	}
	e.name()
}

// name says in words by what the phases ended.
func (e *JobStory) name() {
	for k := range e.Phases {
		p, last := &e.Phases[k], k == len(e.Phases)-1
		switch {
		case p.Ended == "the end of the run":
		case p.Where == "":
			p.Ended = "it got its GPUs"
		case last && e.Job.FinishS != nil:
			p.Ended = "it was done"
		case p.Ended == results.Revoked:
			p.Ended = "the cloud took GPUs"
		case !last && e.Phases[k+1].Where != "":
			p.Ended = "the scheduler moved it"
		default:
			p.Ended = "the scheduler stopped it"
		}
	}
}

// places names pools with their GPUs, in the order of names.
func places(held map[string]int32) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if n := held[name]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(out, " + ")
}

// free says of a wait what was free.
func (p *JobPhase) free(r *run, job *results.Job) {
	for s := range r.stretches() {
		from, until := max(s[0].StartS, p.FromS), min(s[0].EndS, p.UntilS)
		if until <= from {
			continue
		}
		free := int32(0)
		for _, x := range s {
			if x.Market == results.Spot && x.Capacity != nil {
				free += max(*x.Capacity-x.Held(), 0)
			}
		}
		p.MaxFree = max(p.MaxFree, free)
		if free >= job.GPUs {
			p.EnoughS += until - from
		}
	}
}

// others says of a wait who had what meanwhile, and who was ahead.
func (p *JobPhase) others(r *run, jobs []results.Job, job *results.Job) {
	hours := map[int64]float64{}
	for _, x := range r.Instances {
		if d := min(x.EndS, p.UntilS) - max(x.GrantedS, p.FromS); d > 0 && x.Job != job.Number {
			hours[x.Job] += d / 3600
		}
	}
	for j, h := range hours {
		p.Holders = append(p.Holders, JobHolder{JobID: jobs[j].ID, GPUH: h, Earlier: j < job.Number})
	}
	slices.SortFunc(p.Holders, func(a, b JobHolder) int {
		return cmp.Or(cmp.Compare(b.GPUH, a.GPUH), cmp.Compare(a.JobID, b.JobID))
	})
	p.Holders = p.Holders[:min(len(p.Holders), maxHolders)]
	p.ahead(r, jobs, job)
	p.decision(r, job)
}

// ahead finds the jobs submitted before that waited, too, when the wait began.
func (p *JobPhase) ahead(r *run, jobs []results.Job, job *results.Job) {
	has := map[int64]bool{}
	for _, x := range r.Instances {
		if x.GrantedS <= p.FromS && p.FromS < x.EndS {
			has[x.Job] = true
		}
	}
	for _, x := range jobs[:job.Number] {
		if !has[x.Number] && (x.FinishS == nil || *x.FinishS > p.FromS) {
			p.Ahead = append(p.Ahead, x.ID)
		}
	}
}

// decision finds what the scheduler did when the wait began.
func (p *JobPhase) decision(r *run, job *results.Job) {
	for i := range r.Decisions {
		if d := &r.Decisions[i]; d.AtS <= p.FromS {
			p.Decision, p.DecidedS, p.Reason = d.Plan, d.AtS, d.Reason
		}
	}
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.Name == job.ID && c.AtS < p.UntilS && c.Note != "" && !c.Chosen {
			p.SaidReason = sayingOf(c)
		}
	}
}

// sayingOf is what a scheduler said of a job, with its score where the unit is in words: jobs waiting ahead of it, of its speed.
func sayingOf(c *results.Candidate) string {
	if c.Note != "" && strings.Contains(c.Unit, " ") {
		return fmt.Sprintf("%s (%.3g %s)", c.Note, c.Score, c.Unit)
	}
	return c.Note
}

// sentence says in brief how long the job waited, and why in its longest wait.
func (e *JobStory) sentence() string {
	var longest *JobPhase
	for k := range e.Phases {
		if p := &e.Phases[k]; p.Where == "" && (longest == nil || p.UntilS-p.FromS > longest.UntilS-longest.FromS) {
			longest = p
		}
	}
	text := fmt.Sprintf("(%s) waited %s in all", count(int(e.Job.GPUs), "GPU", "GPUs"), span(orZero(e.Job.QueueS)))
	if longest == nil {
		return text + "."
	}
	text += fmt.Sprintf("; longest %s from %s on", span(longest.UntilS-longest.FromS), span(longest.FromS))
	if longest.MaxFree < e.Job.GPUs {
		text += fmt.Sprintf(": never more than %d GPUs were free at once", longest.MaxFree)
	} else {
		text += fmt.Sprintf(": enough GPUs were free for %s of it, but not for it, by the scheduler's order or spread over servers",
			span(longest.EnoughS))
	}
	if longest.SaidReason != "" {
		text += "; the scheduler said: " + longest.SaidReason
	}
	if n := len(longest.Ahead); n > 0 {
		text += fmt.Sprintf("; %s submitted before it waited, too", count(n, "job", "jobs"))
	}
	if len(longest.Holders) > 0 {
		text += fmt.Sprintf("; most GPU-hours meanwhile went to %s", longest.Holders[0].JobID)
	}
	return text + "."
}

// What a page lists of the jobs of a run.
const (
	maxJobs      = 500
	maxWaits     = 5
	maxJobTables = 20
)

// listedJobs is one run whose jobs are listed.
type listedJobs struct {
	name  string
	waits []item
	jobs  []*results.Job
	all   int
}

// listJobs lists the jobs of the first run of each policy and objective that has a timeline.
func (s *Study) listJobs() (out []listedJobs) {
	if s.set == nil {
		return nil
	}
	type kind struct{ objective, policy string }
	seen := map[kind]bool{}
	for _, r := range runsOf(s.set) {
		of, all := kind{r.Objective, r.Policy}, r.Jobs
		if seen[of] || len(all) == 0 || len(out) == maxJobTables {
			continue
		}
		seen[of] = true
		one := listedJobs{name: r.Policy + ", " + r.From(), all: len(all), waits: r.waits()}
		for i := range all[:min(len(all), maxJobs)] {
			one.jobs = append(one.jobs, &all[i])
		}
		out = append(out, one)
	}
	return out
}

// waits explains the longest waits of a run.
func (r *run) waits() (out []item) {
	longest := slices.Clone(r.Jobs)
	slices.SortStableFunc(longest, func(a, b results.Job) int { return cmp.Compare(orZero(b.QueueS), orZero(a.QueueS)) })
	for _, j := range longest[:min(len(longest), maxWaits)] {
		if orZero(j.QueueS) == 0 {
			break
		}
		e, err := r.story(j.ID)
		if err != nil {
			continue
		}
		out = append(out, item{j.ID, e.sentence()})
	}
	return out
}
