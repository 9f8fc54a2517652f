package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/charges"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/report"
)

// explainFlags say which decision of which run is explained.
type explainFlags struct {
	At        string `flag:"at" help:"<time> from the start of the run, 3:12 or 192m"`
	Job       string `flag:"job" help:"<name> or number of one of many jobs"`
	Failures  bool   `flag:"failures" help:"list the failures that jobs met, what came in their places, and slow machines"`
	Policy    string `flag:"policy" complete:"@policies" help:"a run of this policy, by <name>"`
	Objective string `flag:"objective" help:"a run for the objective of this <label>"`
	Seed      int64  `flag:"seed" default:"-1" help:"a run under this seed; -1: any"`
	Run       int64  `flag:"run" default:"-1" help:"<number> of the run, as in summary.parquet; -1: any"`
	JSON      bool   `flag:"json" help:"print JSON; times are seconds from the start of the run"`
	Dollars   bool   `flag:"dollars" help:"say where every dollar went"`
	OwnBill   string `flag:"own-bill" help:"compare the simulated bill with that in this CSV <file>"`
	cli.Commands
}

// Explain returns the command that explains a decision.
func Explain() *cobra.Command {
	var f explainFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "explain DIR {--at TIME | --job NAME | --failures | --dollars}",
		Short: "Say why a policy did what it did at a moment, why a job waited, or where dollars went",
		Long: `Explains the last decision at or before a moment of a run that marigram run wrote
into DIR: what the policy saw, the candidates that it weighed up with their
scores, what it took and why, and what became of it until the plan changed again.

Of many jobs it lists those that were there: what each had before and after, since when and
until when, by what that ended, and what the scheduler said of it.

TIME counts from the start of the run: hours and minutes (3:12), with seconds
(3:12:30), or a span (192m, 3h12m30s). A whole second stands for all of it: of several
decisions in it the last is explained. Decisions on the policy's own timer that
changed nothing, their reason included, are not kept. Of a sweep the run of a number (--run) is
simulated again, since sweeps keep totals only. Of a run folder it is the first that kept a timeline and has the
--policy, --objective, --seed and number that are asked for.

--job says what became of one of many jobs (jobs in the spec), by its name or else its number:
when it had GPUs and which, when it waited and why: what was free, who had the rest, who was
ahead, and what the scheduler did.

--failures lists the failures of machines (failures in the spec) that jobs met: what they lost,
and when as many instances were ready in their places; and slow machines (slow in the spec):
since when and until when, how much longer steps took, when that was seen, what was done about
it, and what keeping (from then on) and replacing cost. --at says it of a decision.

--dollars says where every dollar went: the parts of the bill, to the microdollar, as a
mean over the runs that are asked for (of the policy and objective of the first). --own-bill
compares it with a bill of your cloud, a CSV file: Amazon's cost and usage report
(lineItem/UsageType, lineItem/UnblendedCost), or the columns usage_type and usd with,
where the name does not say it, part: spot, on demand, commitments, transfers, disks,
storage, tax, credits or other.`,
		Example: `  marigram run quickstart --out out
  marigram explain out --at 0:10
  marigram explain out --at 1:00 --policy spotdnn --seed 1
  marigram explain out --dollars --policy spotdnn
  marigram explain out --job 17 --policy tiresias`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.explain(cmd, args[0]) },
	}, &f)
}

// explain answers the one question that the flags ask of the runs in dir.
func (f *explainFlags) explain(cmd *cobra.Command, dir string) error {
	asked := 0
	for _, is := range []bool{f.At != "", f.Job != "", f.Failures, f.Dollars || f.OwnBill != ""} {
		if is {
			asked++
		}
	}
	if asked > 1 {
		return errors.New("expected one of --at TIME, --job NAME, --failures and " +
			"--dollars (with --own-bill FILE or without)")
	}
	if f.Dollars || f.OwnBill != "" {
		return f.explainDollars(cmd, dir)
	}
	if asked == 0 {
		return errors.New("--at TIME, --job NAME, --failures or --dollars is missing")
	}
	question := report.Question{Job: f.Job, Failures: f.Failures}
	var err error
	if f.At != "" {
		if question.AtS, err = clockTime(f.At); err != nil {
			return fmt.Errorf("--at: %w", err)
		}
	}
	set, err := f.read(cmd, dir)
	if err != nil {
		return err
	}
	explained, err := report.Explain(&set, f.wants, question)
	if err != nil {
		return err
	}
	return (&cli.Answer{JSON: f.JSON}).Give(cmd, explained, func(w io.Writer) { printExplanation(w, explained) })
}

// wants says whether a run is one that is asked for.
func (f *explainFlags) wants(s *results.Summary) bool {
	return (f.Policy == "" || s.Policy == f.Policy) && (f.Objective == "" || s.Objective == f.Objective) &&
		(f.Seed == -1 || s.Seed == f.Seed) && (f.Run == -1 || s.Run == f.Run)
}

// read reads the tables of a folder that marigram run wrote, or simulates the run of a
// sweep again that is asked for.
func (f *explainFlags) read(cmd *cobra.Command, dir string) (results.Set, error) {
	if !cli.IsSweep(dir) {
		return readRuns(cmd, dir)
	}
	if f.Run < 0 {
		return results.Set{}, fmt.Errorf("--run is missing: %s is of a sweep, which keeps no decisions; "+
			"the run of that number is simulated again", dir)
	}
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return results.Set{}, err
	}
	folder.AllowCommands = f.Allow
	set, err := folder.Resimulate(cmd.Context(), []int64{f.Run})
	if err != nil {
		return results.Set{}, err
	}
	return *set, nil
}

// clockTime reads h:mm, h:mm:ss or a span, and returns seconds.
func clockTime(text string) (float64, error) {
	bad := fmt.Errorf("%q, expected a time from the start of the run such as 3:12, 3:12:30 or 192m", text)
	if !strings.Contains(text, ":") {
		span, err := time.ParseDuration(text)
		if err != nil || span < 0 {
			return 0, bad
		}
		return span.Seconds(), nil
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return 0, bad
	}
	seconds := 0
	for i, unit := range []int{3600, 60, 1}[:len(parts)] {
		count, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil || i > 0 && count > 59 {
			return 0, bad
		}
		seconds += int(count) * unit
	}
	return float64(seconds), nil
}

// clock writes seconds as h:mm:ss, with thousandths where there are any.
func clock(s float64) string {
	ms := int64(math.Round(1000 * s))
	whole := ms / 1000
	text := fmt.Sprintf("%d:%02d:%02d", whole/3600, whole/60%60, whole%60)
	if ms%1000 > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", ms%1000), "0")
	}
	return text
}

func printExplanation(w io.Writer, e *report.Explanation) {
	p := printer{w}
	p.line("run %d: %s, %s, %s", e.Run, e.Policy, e.Objective, results.From(e.StartS, e.Seed))
	switch {
	case e.JobStory != nil:
		p.story(e.JobStory, e.EndS)
	case e.Decision != nil:
		p.decision(e)
		p.failures(e.Failures)
		p.slow(e.Slow)
	default:
		p.failures(e.Failures)
		p.slow(e.Slow)
		p.lost(e)
	}
}

// slow prints the machines that were slow.
func (p *printer) slow(all []report.Slow) {
	if len(all) == 0 {
		return
	}
	p.line("")
	shown := table.New("slow from", "until", "job", "machine", "steps times", "seen", "what was done", "at",
		"to keep, s", "to replace, s")
	for i := range all {
		one := &all[i]
		shown.Row(clock(one.FromS), clock(one.UntilS), one.Job, one.Machine, one.Times, orNever(one.SeenS), one.Did,
			orNever(one.DidS), math.Round(one.KeepS), one.ReplaceS)
	}
	term.Print(p.w, shown)
}

func orNever(at *float64) string {
	if at == nil {
		return "never"
	}
	return clock(*at)
}

// failures prints what failed, and what came in its place.
func (p *printer) failures(all []report.Failure) {
	if len(all) == 0 {
		return
	}
	p.line("")
	shown := table.New("failed at", "job", "what failed", "gave back", "granted", "ready", "in its place")
	for i := range all {
		failure := &all[i]
		granted := "never"
		ready := "never"
		if failure.ReadyS != nil {
			granted = clock(*failure.GrantedS)
			ready = clock(*failure.ReadyS)
		}
		shown.Row(clock(failure.AtS), failure.Job, failure.Failed, failure.GaveBack, granted, ready, failure.InPlace)
	}
	term.Print(p.w, shown)
}

// lost sums up what the failures of a run took.
func (p *printer) lost(e *report.Explanation) {
	away := 0.0
	longest := 0.0
	never := 0
	for i := range e.Failures {
		if seconds := e.Failures[i].AwayS(); seconds < 0 {
			never++
		} else {
			away += seconds
			longest = max(longest, seconds)
		}
	}
	failures := len(e.Failures)
	if failures > 0 {
		p.line("\n%s: ready instances in their places after %s in the mean, %s at most; %d never",
			units.Count(failures, "failure", "failures"),
			clock(away/float64(max(failures-never, 1))), clock(longest), never)
	}
	p.line("of the run, in instance-hours (of jobs on a cluster GPU-hours): "+
		"%.2f of training lost, %.2f restoring, %.2f waiting, %.2f starting", e.LostH, e.RestoringH, e.WaitingH,
		e.StartingH)
}

func (p *printer) decision(e *report.Explanation) {
	ended := ""
	if e.AskedS > e.EndS {
		ended = "; the run ended at " + clock(e.EndS)
	}
	p.line("decision %d at %s: asked for %s (the last at or before %s%s)\n", e.Number, clock(e.AtS), e.Trigger,
		clock(e.AskedS), ended)
	if e.Speed != "" {
		p.line("speed    %s", e.Speed)
	}
	p.line("state    %s", e.State)
	switch {
	case e.Jobs > 1:
		p.line("         %s USD spent", units.USD(e.CostUSD))
	case e.RemainingS >= 0:
		p.line("         %s left to the objective, %s USD spent", clock(e.RemainingS), units.USD(e.CostUSD))
	default:
		p.line("         %s past the objective, %s USD spent", clock(-e.RemainingS), units.USD(e.CostUSD))
	}
	for i, x := range e.Prices {
		p.line("%-8s %s at %.4f USD/h", []string{"prices", ""}[min(i, 1)], x.Pool, x.USDPerH)
	}
	if e.Inputs != "" {
		p.line("inputs   %s", e.Inputs)
	}
	p.line("plan     %s", e.Plan)
	if !e.Changed {
		why := ""
		if e.PlanReason != "" {
			why = ": " + e.PlanReason
		}
		p.line("         as before: the plan is that of %s%s", clock(e.PlanS), why)
	}
	if e.Reason != "" {
		p.line("reason   %s", e.Reason)
	}
	if len(e.Candidates) == 0 && len(e.PlanCandidates) > 0 {
		p.line("\nweighed up at %s:", clock(e.PlanS))
		p.candidates(e.PlanCandidates, e.There)
	} else {
		p.candidates(e.Candidates, e.There)
	}
	p.outcome(e)
}

// printer prints lines.
type printer struct{ w io.Writer }

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p *printer) candidates(list []report.Candidate, jobs []report.JobThere) {
	list = slices.DeleteFunc(slices.Clone(list), func(c report.Candidate) bool { // the table of jobs says it
		return slices.ContainsFunc(jobs, func(j report.JobThere) bool { return j.Job == c.Name })
	})
	if p.there(jobs); len(jobs) > 0 && len(list) == 0 {
		return
	}
	if len(list) == 0 {
		p.line("\nno candidates: the policy follows a rule, or kept its plan")
		return
	}
	p.line("")
	candidates := table.New("candidate", "score", "unit", "chosen|chosen/", "note")
	for _, c := range list {
		var score any = "none"
		if c.Score != nil {
			score = *c.Score
		}
		candidates.Row(c.Name, score, c.Unit, c.Chosen, c.Note)
	}
	term.Print(p.w, candidates)
}

func (p *printer) outcome(e *report.Explanation) {
	came := &e.Outcome
	p.line("\nuntil %s (%s): %d granted, %d revoked, %d ready at its end",
		clock(came.UntilS), came.EndedBy, came.Granted, came.Revoked, came.ReadyAtEnd)
	switch {
	case came.CompleteS == nil:
		p.line("what it wanted was never there as a whole")
	case *came.CompleteS <= e.AtS:
		p.line("what it wanted was there at once")
	default:
		p.line("what it wanted was there at %s", clock(*came.CompleteS))
	}
	p.line("progress %.1f %% to %.1f %%, %s USD", 100*came.ProgressFrom, 100*came.ProgressTo, units.USD(came.CostUSD))
}

// story says what became of one of many jobs.
func (p *printer) story(e *report.JobStory, endS float64) {
	job := &e.Job
	kind := ""
	if job.Kind != "" {
		kind = job.Kind + ", "
	}
	unit := " GPUs"
	if job.MaxGPUs == 1 {
		unit = " GPU"
	}
	p.line("job %s (%s%s): submitted at %s, %s",
		job.ID, kind, job.GPUsText()+unit, clock(job.SubmitS), ending(job, endS))
	p.line("without ready GPUs %s; stopped by the scheduler %d times, by the cloud %d times; %s GPU-hours, %s USD\n",
		clock(stats.Or(job.QueueS, 0)), job.Suspensions, job.Preemptions,
		units.USD(stats.Or(job.GPUH, 0)), units.USD(job.CostUSD))
	for k := range e.Phases {
		phase := &e.Phases[k]
		if phase.Where != "" {
			p.line("%s to %s: had %s, until %s", clock(phase.FromS), clock(phase.UntilS), phase.Where, phase.Ended)
			continue
		}
		p.wait(phase, job.Needs())
		p.others(phase)
	}
}

// maxThere bounds the jobs of a decision that are printed.
const maxThere = 40

// there prints the jobs that were there at a decision.
func (p *printer) there(jobs []report.JobThere) {
	if len(jobs) == 0 {
		return
	}
	p.line("")
	shown := table.New("job", "GPUs", "before", "since", "after", "until", "what ended it", "what the scheduler said")
	for i := range jobs[:min(len(jobs), maxThere)] {
		job := &jobs[i]
		shown.Row(job.Job, job.Range, orWaits(job.Before), clock(job.SinceS), orWaits(job.After), clock(job.UntilS),
			job.Ended, job.Said)
	}
	term.Print(p.w, shown)
	if more := len(jobs) - maxThere; more > 0 {
		p.line("and %d more jobs (--json has all)", more)
	}
}

func orWaits(where string) string { return cmp.Or(where, "waits") }

func ending(j *results.Job, endS float64) string {
	if j.JCTS == nil {
		return fmt.Sprintf("not done at the end of the run, %s (%.1f %% of its work)", clock(endS), 100*j.Done)
	}
	text := fmt.Sprintf("done at %s, %s after its submission", clock(*j.FinishS), clock(*j.JCTS))
	if j.DeadlineS != nil {
		when := "later than"
		if *j.DeadlineMet {
			when = "within"
		}
		text += fmt.Sprintf(", %s the %s that it had", when, clock(*j.DeadlineS))
	}
	return text
}

// wait says how long a job waited, and what was free.
func (p *printer) wait(x *report.JobPhase, gpus int32) {
	p.line("%s to %s: waited %s for %s, until %s", clock(x.FromS), clock(x.UntilS), clock(x.UntilS-x.FromS),
		units.Count(int(gpus), "GPU", "GPUs"), x.Ended)
	if x.MaxFree < gpus {
		p.line("    never more than %d free at once in the cluster", x.MaxFree)
		return
	}
	p.line("    enough GPUs were free for %s of it (at most %d), but not for it: "+
		"by the scheduler's order, or spread over servers", clock(x.EnoughS), x.MaxFree)
}

// others says of a wait who was ahead and who had what meanwhile, and what the scheduler did.
func (p *printer) others(x *report.JobPhase) {
	if x.SaidReason != "" {
		p.line("    the scheduler said: %s", x.SaidReason)
	}
	if ahead := len(x.Ahead); ahead > 0 {
		shown := strings.Join(x.Ahead[:min(ahead, 5)], ", ")
		if ahead > 5 {
			shown += fmt.Sprintf(" and %d more", ahead-5)
		}
		p.line("    submitted before it and waiting as well: %s", shown)
	}
	if len(x.Holders) > 0 {
		var who []string
		for _, h := range x.Holders {
			when := "later"
			if h.Earlier {
				when = "earlier"
			}
			who = append(who, fmt.Sprintf("%s %.2f (submitted %s)", h.JobID, h.GPUH, when))
		}
		p.line("    GPU-hours of others meanwhile: %s", strings.Join(who, ", "))
	}
	if x.Decision != "" {
		reason := ""
		if x.Reason != "" {
			reason = "; " + x.Reason
		}
		p.line("    the scheduler at %s: %s%s", clock(x.DecidedS), x.Decision, reason)
	}
}

// explainDollars says where the dollars of the runs went, next to a cloud's bill if one is given.
func (f *explainFlags) explainDollars(cmd *cobra.Command, dir string) error {
	var own *charges.Bill
	if f.OwnBill != "" {
		var err error
		if own, err = charges.OpenBill(f.OwnBill); err != nil {
			return err
		}
	}
	rows, err := f.summaries(cmd, dir)
	if err != nil {
		return err
	}
	dollars, err := report.DollarsOf(rows, f.wants)
	if err != nil {
		return err
	}
	return writeDollars(cmd.OutOrStdout(), dollars, own, f.JSON)
}

// summaries reads the totals of a folder's runs, or simulates the run of a sweep again.
func (f *explainFlags) summaries(cmd *cobra.Command, dir string) ([]results.Summary, error) {
	if cli.IsSweep(dir) {
		set, err := f.read(cmd, dir)
		return set.Summaries, err
	}
	rows, from, err := results.ReadRuns(dir)
	if err == nil {
		cli.WarnOutdated(cmd, from.SchemaVersion)
	}
	return rows, err
}
