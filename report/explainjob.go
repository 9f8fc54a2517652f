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
	"github.com/marigram/marigram/internal/units"
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
	GPUs   int32   `json:"gpus,omitempty"`  // of these
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
	at := slices.IndexFunc(jobs, func(other results.Job) bool { return other.ID == job })
	if number, err := strconv.Atoi(job); at < 0 && err == nil && number >= 0 && number < len(jobs) {
		at = number
	}
	if at < 0 {
		return nil, fmt.Errorf("no job %q in run %d: it has %d jobs, from %s to %s",
			job, r.Run, len(jobs), jobs[0].ID, jobs[len(jobs)-1].ID)
	}
	story := r.begin(&jobs[at], r.hadByJob())
	for k := range story.Phases {
		phase := &story.Phases[k]
		if phase.Where != "" {
			continue
		}
		phase.free(r, &story.Job)
		phase.others(r, jobs, &story.Job)
	}
	return story, nil
}

// begin says when a job had what it needs, of what all jobs had.
func (r *run) begin(job *results.Job, had map[int64][]results.Instance) *JobStory {
	story := &JobStory{Job: *job}
	story.addPhases(had[job.Number], r.end())
	return story
}

// hadByJob lists by the number of a job which instances it had.
func (r *run) hadByJob() map[int64][]results.Instance {
	had := map[int64][]results.Instance{}
	for _, instance := range r.Instances {
		had[instance.Job] = append(had[instance.Job], instance)
	}
	return had
}

// addPhases finds when the job had its GPUs.
func (e *JobStory) addPhases(had []results.Instance, end float64) {
	type change struct {
		at   float64
		gpus int32
		pool string
		end  string
	}
	var changes []change
	for _, instance := range had {
		changes = append(changes, change{instance.GrantedS, 1, instance.Pool, ""},
			change{instance.EndS, -1, instance.Pool, instance.End})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	held := map[string]int32{}
	total := int32(0)
	was := JobPhase{FromS: e.Job.SubmitS}
	for k := 0; k < len(changes); {
		now := changes[k].at
		ended := ""
		for ; k < len(changes) && changes[k].at == now; k++ {
			c := &changes[k]
			held[c.pool] += c.gpus
			total += c.gpus
			if c.end == results.Revoked || ended == "" {
				ended = c.end
			}
		}
		next := JobPhase{FromS: was.FromS}
		if total >= e.Job.Needs() {
			next.Where = places(held)
			next.GPUs = total
		}
		if now > was.FromS && was.Where != next.Where {
			was.UntilS = now
			was.Ended = ended
			e.Phases = append(e.Phases, was)
			next.FromS = now
		}
		was = next
	}
	if e.Job.FinishS == nil && end > was.FromS {
		was.UntilS = end
		was.Ended = "the end of the run"
		e.Phases = append(e.Phases, was)
	}
	e.nameEnds()
}

// nameEnds says in words by what the phases ended.
func (e *JobStory) nameEnds() {
	for k := range e.Phases {
		phase := &e.Phases[k]
		last := k == len(e.Phases)-1
		switch {
		case phase.Ended == "the end of the run":
		case phase.Where == "":
			phase.Ended = "it got its GPUs"
		case last && e.Job.FinishS != nil:
			phase.Ended = "it was done"
		case phase.Ended == results.Revoked:
			phase.Ended = "the cloud took GPUs"
		case !last && e.Phases[k+1].Where != "" && e.Phases[k+1].GPUs != phase.GPUs:
			phase.Ended = "the scheduler resized it"
		case !last && e.Phases[k+1].Where != "":
			phase.Ended = "the scheduler moved it"
		default:
			phase.Ended = "the scheduler stopped it"
		}
	}
}

// places names pools with their GPUs, in the order of names.
func places(held map[string]int32) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if count := held[name]; count > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", count, name))
		}
	}
	return strings.Join(texts, " + ")
}

// free says of a wait what was free.
func (p *JobPhase) free(r *run, job *results.Job) {
	for rows := range r.stretches() {
		from := max(rows[0].StartS, p.FromS)
		until := min(rows[0].EndS, p.UntilS)
		if until <= from {
			continue
		}
		free := int32(0)
		for _, row := range rows {
			if row.Market == results.Spot && row.Capacity != nil {
				free += max(*row.Capacity-row.Held(), 0)
			}
		}
		p.MaxFree = max(p.MaxFree, free)
		if free >= job.Needs() {
			p.EnoughS += until - from
		}
	}
}

// others says of a wait who had what meanwhile, and who was ahead.
func (p *JobPhase) others(r *run, jobs []results.Job, job *results.Job) {
	hours := map[int64]float64{}
	for _, instance := range r.Instances {
		seconds := min(instance.EndS, p.UntilS) - max(instance.GrantedS, p.FromS)
		if seconds > 0 && instance.Job != job.Number {
			hours[instance.Job] += seconds / 3600
		}
	}
	for number, spent := range hours {
		p.Holders = append(p.Holders, JobHolder{JobID: jobs[number].ID, GPUH: spent, Earlier: number < job.Number})
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
	for _, instance := range r.Instances {
		if instance.GrantedS <= p.FromS && p.FromS < instance.EndS {
			has[instance.Job] = true
		}
	}
	for _, instance := range jobs[:job.Number] {
		if !has[instance.Number] && (instance.FinishS == nil || *instance.FinishS > p.FromS) {
			p.Ahead = append(p.Ahead, instance.ID)
		}
	}
}

// decision finds what the scheduler did when the wait began.
func (p *JobPhase) decision(r *run, job *results.Job) {
	for i := range r.Decisions {
		made := &r.Decisions[i]
		if made.AtS <= p.FromS {
			p.Decision = made.Plan
			p.DecidedS = made.AtS
			p.Reason = made.Reason
		}
	}
	for i := range r.Candidates {
		candidate := &r.Candidates[i]
		if candidate.Name == job.ID && candidate.AtS < p.UntilS && candidate.Note != "" && !candidate.Chosen {
			p.SaidReason = sayingOf(candidate)
		}
	}
}

// sayingOf is what a scheduler said of a job, with its score where the unit is in words: jobs waiting ahead of it, of
// its speed.
func sayingOf(candidate *results.Candidate) string {
	if candidate.Note != "" && strings.Contains(candidate.Unit, " ") {
		return fmt.Sprintf("%s (%.3g %s)", candidate.Note, candidate.Score, candidate.Unit)
	}
	return candidate.Note
}

// sentence says in brief how long the job waited, and why in its longest wait.
func (e *JobStory) sentence() string {
	var longest *JobPhase
	for k := range e.Phases {
		phase := &e.Phases[k]
		if phase.Where == "" && (longest == nil || phase.UntilS-phase.FromS > longest.UntilS-longest.FromS) {
			longest = phase
		}
	}
	text := fmt.Sprintf("(%s) waited %s in all", e.Job.GPUsText()+" GPUs", span(orZero(e.Job.QueueS)))
	if longest == nil {
		return text + "."
	}
	text += fmt.Sprintf("; longest %s from %s on", span(longest.UntilS-longest.FromS), span(longest.FromS))
	if longest.MaxFree < e.Job.Needs() {
		text += fmt.Sprintf(": never more than %d GPUs were free at once", longest.MaxFree)
	} else {
		text += fmt.Sprintf(": enough GPUs were free for %s of it, but not for it, by the scheduler's order "+
			"or spread over servers", span(longest.EnoughS))
	}
	if longest.SaidReason != "" {
		text += "; the scheduler said: " + longest.SaidReason
	}
	if len(longest.Ahead) > 0 {
		text += fmt.Sprintf("; %s submitted before it waited, too", units.Count(len(longest.Ahead), "job", "jobs"))
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
	for _, run := range runsOf(s.set) {
		of := kind{run.Objective, run.Policy}
		if seen[of] || len(run.Jobs) == 0 || len(out) == maxJobTables {
			continue
		}
		seen[of] = true
		one := listedJobs{name: run.Policy + ", " + run.From(), all: len(run.Jobs), waits: run.waits()}
		for i := range run.Jobs[:min(len(run.Jobs), maxJobs)] {
			one.jobs = append(one.jobs, &run.Jobs[i])
		}
		out = append(out, one)
	}
	return out
}

// waits explains the longest waits of a run.
func (r *run) waits() (out []item) {
	longest := slices.Clone(r.Jobs)
	slices.SortStableFunc(longest, func(a, b results.Job) int {
		return cmp.Compare(orZero(b.QueueS), orZero(a.QueueS))
	})
	for _, job := range longest[:min(len(longest), maxWaits)] {
		if orZero(job.QueueS) == 0 {
			break
		}
		story, err := r.story(job.ID)
		if err != nil {
			continue
		}
		out = append(out, item{job.ID, story.sentence()})
	}
	return out
}
