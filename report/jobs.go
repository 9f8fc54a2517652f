package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
	"github.com/marigram/marigram/plots/jobs"
)

// jobsRow is what runs of many jobs came to under one policy.
type jobsRow struct {
	jct                         intervals.Tally // s, the runs' means
	sums                        map[string]float64
	of                          map[string]int // runs in the sum
	done, all, deadlines, early int64
	runs                        int
}

// addJobs adds a run of many jobs.
func (r *row) addJobs(s *results.Summary, unit intervals.Unit) {
	if r.Jobs == nil {
		r.Jobs = &jobsRow{sums: map[string]float64{}, of: map[string]int{}}
	}
	j := r.Jobs
	j.runs++
	j.done, j.all, j.deadlines, j.early = j.done+s.JobsDone, j.all+s.Jobs, j.deadlines+s.Deadlines, j.early+s.Punctual
	if s.JCTMeanS != nil {
		j.jct.Add(unit, *s.JCTMeanS)
	}
	suspensions, preemptions, moves := float64(s.Suspensions), float64(s.JobsStopped), float64(s.JobMoves)
	for name, x := range map[string]*float64{"jct": s.JCTMeanS, "p50": s.JCTP50S, "p95": s.JCTP95S, "p99": s.JCTP99S, "queue": s.QueueMeanS, "makespan": s.FinishS,
		"utilisation": s.Utilisation, "ftf": s.FTFMean, "suspensions": &suspensions, "preemptions": &preemptions, "moves": &moves} {
		if x != nil {
			j.sums[name] += *x
			j.of[name]++
		}
	}
}

// mean returns the mean of a number over the runs that have it, false if none has.
func (j *jobsRow) mean(name string) (float64, bool) {
	n := j.of[name]
	return j.sums[name] / float64(max(n, 1)), n > 0
}

func (j *jobsRow) text(name, form string, by float64) string {
	x, has := j.mean(name)
	if !has {
		return "none"
	}
	return fmt.Sprintf(form, x*by)
}

// The means, for the template.
func (j *jobsRow) Hours(name string) string  { return j.text(name, "%.2f", 1./3600) }
func (j *jobsRow) Share(name string) string  { return j.text(name, "%.1f %%", 100) }
func (j *jobsRow) Count(name string) string  { return j.text(name, "%.6g", 1) }
func (j *jobsRow) Number(name string) string { return j.text(name, "%.2f", 1) }
func (j *jobsRow) DoneText() string {
	return fmt.Sprintf("%.6g of %.6g", float64(j.done)/float64(j.runs), float64(j.all)/float64(j.runs))
}

// OnTime is the share of the deadlines that were met.
func (j *jobsRow) OnTime() string {
	if j.deadlines == 0 {
		return "none"
	}
	return format.Percent(float64(j.early) / float64(j.deadlines))
}

// Interval is that of the mean completion time, hours.
func (j *jobsRow) Interval() string {
	ci := j.jct.MeanInterval()
	if ci == nil {
		return "none"
	}
	return fmt.Sprintf("%.2f to %.2f", ci.Low/3600, ci.High/3600)
}

// many reports whether the runs are of many jobs.
func (s *Study) many() bool {
	return len(s.objectives) > 0 && len(s.objectives[0].Rows) > 0 && s.objectives[0].Rows[0].Jobs != nil
}

// jobsPage is what the template jobs.qtpl prints.
type jobsPage struct {
	*Study
	Synthetic  bool
	Policies   int
	Answers    []jobsAnswer
	Warnings   []warnings
	Objectives []*objective
	Figures    []figure
	Shown      []shownJobs
	Commands   []string
	Style      string
	Tables     string
	Policy     string // content security policy
}

// jobsAnswer is the best policy, in words.
type jobsAnswer struct{ Goal, Best, Text string }

// shownJobs is one run whose jobs are listed.
type shownJobs struct {
	Name  string
	Waits []jobWait
	Jobs  []results.Job
	All   int
	More  bool
}

// jobWait says of a job why it waited.
type jobWait struct{ Job, Text string }

// What a page lists of the jobs of a run.
const (
	mostJobs      = 500
	mostWaits     = 5
	mostJobTables = 20
)

// jobsPageTo writes the page of a study of many jobs.
func (s *Study) jobsPageTo(w io.Writer) error {
	var theme canvas.Theme
	p, err := s.jobsPage(&theme)
	if err != nil {
		return err
	}
	p.Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '" + digest(tablesScript) + "'"
	for _, o := range s.objectives { // swatches register their colours
		for _, r := range o.Rows {
			r.Swatch()
		}
	}
	p.Style = pageStyle + theme.CSS()
	_, err = io.WriteString(w, jobsHTML(p))
	return err
}

// jobsPage gathers what the page of a study of many jobs says, but for its style.
func (s *Study) jobsPage(theme *canvas.Theme) (*jobsPage, error) {
	s.rank()
	p := jobsPage{Study: s, Synthetic: strings.Contains(strings.ToLower(s.market), "synthetic"), Objectives: s.objectives, Commands: s.commands(),
		Tables: tablesScript}
	for _, o := range s.objectives {
		o.theme = theme
		p.Policies = max(p.Policies, len(o.Rows))
		p.Answers = append(p.Answers, o.jobsAnswer())
	}
	if doubts := s.doubts(); len(doubts) > 0 {
		p.Warnings = append(p.Warnings, warnings{"how sure the numbers are", doubts})
	}
	p.Warnings = append(p.Warnings, s.warned.groups()...)
	p.Shown = s.shownJobs()
	var err error
	p.Figures, err = s.jobsFigures(theme)
	return &p, err
}

// jobsFigures draws the runs that have a timeline, and the costs of all.
func (s *Study) jobsFigures(theme *canvas.Theme) (out []figure, err error) {
	if s.set == nil {
		return nil, nil
	}
	runs := jobs.Runs(s.set)
	draw := func(caption string, f *canvas.Figure, err error) error {
		if errors.Is(err, plots.ErrNothing) {
			return nil
		}
		if err != nil {
			return err
		}
		one, err := inline(f, theme, caption)
		out = append(out, one)
		return err
	}
	if len(runs) == 0 {
		return nil, nil
	}
	f, err := jobs.CompletionTimes(runs)
	err = draw("Fraction of the jobs that took at most so long, and that waited at most so long", f, err)
	if err == nil {
		f, err = jobs.Load(runs)
		err = draw("GPUs that jobs hold, and GPUs that the waiting ones ask for", f, err)
	}
	if err == nil {
		f, err = jobs.CostCompletion(s.set.Summaries)
		err = draw("Mean completion time against cost", f, err)
	}
	for i := range runs {
		if err == nil && i < mostPlacements {
			f, err = jobs.Placement(&runs[i])
			err = draw("Who ran where under "+runs[i].Policy, f, err)
		}
	}
	return out, err
}

// mostPlacements is how many runs are drawn server by server.
const mostPlacements = 6

// jobsAnswer says which policy has the shortest mean completion time.
func (o *objective) jobsAnswer() jobsAnswer {
	a := jobsAnswer{Goal: "Mean job completion time, " + o.Name}
	best := o.Best()
	if best == nil || best.Jobs == nil {
		a.Text = "No run."
		return a
	}
	mean, has := best.Jobs.mean("jct")
	if !has || best.Unfinished() > 0 {
		a.Text = "No policy had all jobs done before its runs were cut."
		return a
	}
	a.Best, a.Text = best.Policy, fmt.Sprintf(": %.2f h", mean/3600)
	if ci := best.Jobs.jct.MeanInterval(); ci != nil {
		a.Text += fmt.Sprintf(" (95 %%: %.2f to %.2f)", ci.Low/3600, ci.High/3600)
	}
	for _, r := range o.Rows[1:] {
		if next, has := r.Jobs.mean("jct"); has && r.Unfinished() == 0 && !r.Oracle && mean > 0 {
			a.Text += fmt.Sprintf("; next %s with %.2f h (%+.1f %%)", r.Policy, next/3600, 100*(next/mean-1))
			break
		}
	}
	a.Text += "."
	return a
}

// shownJobs lists the jobs of the first run of each policy and objective that has a timeline.
func (s *Study) shownJobs() (out []shownJobs) {
	if s.set == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, r := range runsOf(s.set) {
		key := r.Objective + "\x00" + r.Policy
		all := of(s.set.Jobs, r.Run, func(x *results.Job) int64 { return x.Run })
		if seen[key] || len(all) == 0 || len(out) == mostJobTables {
			continue
		}
		seen[key] = true
		n := min(len(all), mostJobs)
		out = append(out, shownJobs{Name: fmt.Sprintf("%s, seed %d", r.Policy, r.Seed), All: len(all), More: n < len(all), Jobs: all[:n], Waits: s.waits(&r, all)})
	}
	return out
}

// waits explains the longest waits of a run.
func (s *Study) waits(r *run, all []results.Job) (out []jobWait) {
	longest := slices.Clone(all)
	slices.SortStableFunc(longest, func(a, b results.Job) int { return cmp.Compare(b.QueueS, a.QueueS) })
	for _, j := range longest[:min(len(longest), mostWaits)] {
		if j.QueueS == 0 {
			break
		}
		e, err := ExplainJob(s.set, func(x *results.Summary) bool { return x.Run == r.Run }, j.ID)
		if err != nil {
			continue
		}
		out = append(out, jobWait{j.ID, e.sentence()})
	}
	return out
}

// sentence says in brief how long the job waited, and why in its longest wait.
func (e *JobExplanation) sentence() string {
	var longest *JobPhase
	for k := range e.Phases {
		if p := &e.Phases[k]; p.Where == "" && (longest == nil || p.UntilS-p.FromS > longest.UntilS-longest.FromS) {
			longest = p
		}
	}
	text := fmt.Sprintf("(%s) waited %s in all", count(int(e.Job.GPUs), "GPU", "GPUs"), span(e.Job.QueueS))
	if longest == nil {
		return text + "."
	}
	text += fmt.Sprintf("; longest %s from %s on", span(longest.UntilS-longest.FromS), span(longest.FromS))
	if e.Tasks > 0 {
		text += ", for room on instances"
	} else if longest.MostFree < e.Job.GPUs {
		text += fmt.Sprintf(": never more than %d GPUs were free at once", longest.MostFree)
	} else {
		text += fmt.Sprintf(": enough GPUs were free for %s of it, but not for it, by the scheduler's order or spread over servers", span(longest.EnoughS))
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
