package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/advise"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

type adviseFlags struct {
	cli.SpecFlags
	State         string         `flag:"state" help:"the state: a YAML or JSON <file>, - for standard input"`
	Continuations int            `flag:"continuations" min:"1" max:"100000" help:"number of continuations of each policy that are simulated"`
	Share         *float64       `flag:"share" above:"0" max:"1" help:"share of the continuations that have to meet the objective; by default the spec's, or 0.9"`
	JSON          bool           `flag:"json" help:"print JSON instead of the tables (its schema: marigram schema --advice)"`
	Last          *time.Duration `flag:"last" min:"1m" help:"make continuations of only so much of the traces, up to now, with its unit: 240h"`
	Check         *int           `flag:"check" min:"1" max:"10000" help:"instead of a state: check the intervals at this number of instants of past runs"`
	Scores        string         `flag:"scores" help:"scores of past predictions: --check writes this JSON <file>, and an answer on a state widens its intervals by it"`
	WarmUp        float64        `flag:"check-after" default:"0.25" min:"0.01" max:"0.9" with:"check" help:"share of the traces before the first run"`
}

// Advise returns the command marigram advise: what a policy would do now.
func Advise() *cobra.Command {
	f := adviseFlags{Continuations: advise.DefaultContinuations}
	return cli.WithFlags(cli.OfSpec(&cobra.Command{
		Use:   "advise SPEC --state FILE",
		Short: "What a policy would do now, from a live state",
		Long: `Takes the state of a job that runs (what is held, how far the training is) and the
traces of the spec until now, and prints what the spec's first policy would do now and why,
what that is expected to cost, when to end, and with what probability it meets the objective;
next to it the same for the spec's other policies, and for on demand from now. It changes
nothing and contacts no cloud.

Of a spec of many jobs the state lists the jobs that are there, and where they run: it prints which
of them the scheduler would start, stop and move, and where to, when it decides next, what is
expected of each job, and which deadlines are at risk.

The figures are of many continuations from here, each on blocks of the past put together
anew, the same for all policies: markets unlike the past are not among them. Nothing after now
is read from the traces. The same state, spec, seed and version give the same bytes.

The exit status is 4 if the objective, or a job's deadline, is at risk: met in a smaller share of the
continuations than --share. docs/advise.md describes the state and a loop with the AWS CLI.

--check 10 tells how far such figures can be believed on the spec's traces: it runs the
policy, takes the state at instants of the runs, and counts how often its intervals contain what the
run then gave. With --scores it keeps where the outcomes lay in a file; named beside a state, that file widens the
intervals as far as the last outcomes ask for (adaptive conformal inference).`,
		Example: `  marigram advise my.yaml --state now.yaml
  marigram advise my.yaml --state now.yaml --policy spotdnn-safe,reactive --json
  marigram advise recorded.yaml --policy spotdnn-safe --check 10`,
	}, f.run), &f)
}

func (f *adviseFlags) run(cmd *cobra.Command, name string) error {
	s, _, err := f.Open(name)
	if err != nil {
		return err
	}
	opt := advise.Options{Continuations: f.Continuations, Share: stats.Or(f.Share, 0), Last: stats.Or(f.Last, 0)}
	if err := f.checkFlags(s); err != nil {
		return err
	}
	s.Seeds = 1
	if f.Check != nil {
		return f.check(cmd, s, opt)
	}
	if f.Scores != "" {
		if opt.Scores, err = advise.OpenScores(f.Scores); err != nil {
			return err
		}
	}
	state, err := advise.Open(f.State)
	if err != nil {
		return err
	}
	advise.AddOnDemand(s)
	advice, err := advise.Advise(cmd.Context(), s, state, opt)
	if err != nil {
		return err
	}
	err = f.give(cmd, advice.Warnings, advice, func(w io.Writer) { printAdvice(w, advice) })
	if err != nil || !advice.AtRisk {
		return err
	}
	if len(advice.Jobs) > 0 {
		return cli.AtRisk(fmt.Errorf("deadlines are at risk, met in less than %s of the continuations: %s",
			percent(advice.Share), risky(advice.Jobs)))
	}
	best := &advice.Policies[0]
	return cli.AtRisk(fmt.Errorf("the objective %s is at risk: %s meets it in %s of the continuations, "+
		"and %s is asked for", advice.Objective, advice.Plan.Policy, percent(best.Met), percent(advice.Share)))
}

// checkFlags refuses flags without effect, and too few or too many of them.
func (f *adviseFlags) checkFlags(s *spec.Spec) error {
	switch {
	case f.Last != nil && s.Market.Synthetic != nil:
		return errors.New("--last has no effect: the market is synthetic")
	case f.Seeds != nil:
		return errors.New("--seeds has no effect: a state is of one run (--seed sets its random numbers)")
	case f.Check != nil && f.State != "":
		return errors.New("--state and --check, expected one of them")
	case f.Check != nil && f.Share != nil:
		return errors.New("--share has no effect with --check")
	case f.Check == nil && f.State == "":
		return errors.New("--state is missing, expected a file that says what is held and how far the training is " +
			"(docs/advise.md)")
	}
	return nil
}

// check checks the intervals on the spec's traces.
func (f *adviseFlags) check(cmd *cobra.Command, s *spec.Spec, opt advise.Options) error {
	checked, err := advise.CheckIntervals(cmd.Context(), s, *f.Check, f.WarmUp, opt)
	if err == nil && f.Scores != "" {
		err = cli.Failed(checked.Scores.WriteFile(cmd.Context(), f.Scores))
	}
	if err != nil {
		return err
	}
	return f.give(cmd, checked.Warnings, checked, func(w io.Writer) { printCheck(w, checked) })
}

// give prints warnings and an answer.
func (f *adviseFlags) give(cmd *cobra.Command, warnings []string, value any, text func(io.Writer)) error {
	term.WarnAll(cmd.ErrOrStderr(), warnings)
	return (&cli.Answer{JSON: f.JSON}).Give(cmd, value, text)
}

// printAdvice prints the plan first, then what is expected.
func printAdvice(w io.Writer, a *advise.Advice) {
	many := len(a.Jobs) > 0
	if many {
		printJobs(w, a)
	} else {
		fmt.Fprintf(w, "now %s: %s of %s for %s are over, %s of the training is done, %s USD are spent\n\n",
			a.Now, advise.Elapsed(a.ElapsedS), advise.Elapsed(a.DeadlineS), a.Objective,
			percent(a.Done), units.USD(a.SpentUSD))
		printPlan(w, &a.Plan)
	}
	continuations := units.Count(a.Continuations, "continuation", "continuations")
	switch {
	case a.Continuations == 1:
		fmt.Fprintln(w, "\nexpected from now on, where nothing of the market is drawn:")
	case a.BlockS == 0:
		fmt.Fprintf(w, "\nexpected from now on, of %s on a market that stays as it is:\n", continuations)
	default:
		fmt.Fprintf(w, "\nexpected from now on, of %s on blocks of about %s out of %s of trace:\n",
			continuations, advise.Elapsed(a.BlockS), advise.Elapsed(a.TraceS))
	}
	columns := []string{"policy", "met|percent", "cost USD|usd", "90 % of them", "finish", "90 % of them"}
	if many {
		columns = append(columns, "mean JCT h")
	}
	shown := table.New(append(columns, "more USD")...)
	for i := range a.Policies {
		row := &a.Policies[i]
		more := ""
		if i > 0 {
			more = fmt.Sprintf("%s (%s to %s)",
				units.SignedUSD(row.MoreUSD), units.SignedUSD(row.MoreUSDLow), units.SignedUSD(row.MoreUSDHigh))
		}
		cells := []any{row.Policy, row.Met, row.MeanUSD, between(row.USD.P05, row.USD.P95, units.USD),
			ends(row.FinishS.P50), between(row.FinishS.P05, row.FinishS.P95, advise.Elapsed)}
		if many {
			cells = append(cells, hoursOf(row.MeanJCTS))
		}
		shown.Row(append(cells, more)...)
	}
	term.Print(w, shown)
	if many {
		fmt.Fprintln(w, "met: all deadlines; finish: of the last job, median; cost: mean in all, with what is spent; "+
			"mean JCT: of the jobs that are there, from their submission; "+
			"jobs that are submitted later are not expected")
		return
	}
	fmt.Fprintf(w, "cost: mean in all, with what is spent; finish: median, from the start; "+
		"more USD: than %s on the same continuations, with a 95 %% interval of the mean\n", a.Plan.Policy)
	if c := a.Policies[0].Calibration; c != nil {
		fmt.Fprintf(w, "%s, 90 %% of the cost: %s; 90 %% of the finish: %s\n",
			a.Plan.Policy, widened(&c.Cost90, c.Last), widened(&c.Finish90, c.Last))
	}
}

// widened says by how much an interval was widened, and why.
func widened(a *advise.Adjusted, last int) string {
	by := "widened from a single value"
	switch {
	case a.Times != nil && *a.Times > 1:
		by = fmt.Sprintf("widened %.1f times", *a.Times)
	case a.Times != nil && *a.Times < 1:
		by = fmt.Sprintf("narrowed to %.2f of its width", *a.Times)
	case a.Times != nil || a.Level <= 0.9:
		by = "as wide as without scores"
	}
	predictions := units.Count(last, "prediction", "predictions")
	return fmt.Sprintf("%s: of the last %s %.0f %% missed", by, predictions, 100*a.Missed)
}

// printPlan prints what to do now.
func printPlan(w io.Writer, p *advise.Plan) {
	fmt.Fprintf(w, "%s would now %s\n", p.Policy, changes(p))
	if p.AtMost != nil {
		fmt.Fprintf(w, "request in this order: %s; once %s granted, take the other requests back\n",
			strings.Join(p.Order, ", "), units.Count(*p.AtMost, "is", "are"))
	}
	if len(p.HandOver) > 0 {
		fmt.Fprintf(w, "to hand over: keep %s until what is requested is ready, then release\n", places(p.HandOver))
	}
	printWhy(w, p)
	printPools(w, p)
	for _, c := range p.Candidates {
		if c.Chosen && len(p.Changes) > 0 {
			fmt.Fprintf(w, "chosen among %s: %s\n", units.Count(len(p.Candidates), "candidate", "candidates"),
				strings.TrimSpace(fmt.Sprintf("%s, %s %s", c.Name, someNumber(c.Score), c.Unit)))
		}
	}
}

// printWhy prints why.
func printWhy(w io.Writer, p *advise.Plan) {
	if p.Reason != "" {
		fmt.Fprintf(w, "reason: %s\n", p.Reason)
	}
	for _, x := range p.Inputs {
		fmt.Fprintf(w, "  %s\n", strings.TrimSpace(fmt.Sprintf("%s %s %s", x.Name, someNumber(x.Value), x.Unit)))
	}
}

// printPools prints what to hold in each pool.
func printPools(w io.Writer, p *advise.Plan) {
	if len(p.Changes) == 0 {
		return
	}
	shown := table.New("pool", "market", "USD/h|%.4f", "keep", "request", "still wait", "cancel", "release")
	for _, c := range p.Changes {
		released := orDash(c.Release)
		if len(c.IDs) > 0 {
			released += " " + strings.Join(c.IDs, " ")
		}
		shown.Row(c.Pool, c.Market, c.Price,
			orDash(c.Keep), orDash(c.Request), orDash(c.Wait), orDash(c.Cancel), released)
	}
	term.Print(w, shown)
}

// changes says in a line what a plan changes.
func changes(p *advise.Plan) string {
	var all advise.Change // over all pools
	for _, c := range p.Changes {
		all.Request += c.Request
		all.Release += c.Release
		all.Cancel += c.Cancel
	}
	var parts []string
	if all.Request > 0 && p.AtMost != nil {
		parts = append(parts, "request at most "+units.Count(*p.AtMost, "instance", "instances")+" in all")
	} else if all.Request > 0 {
		parts = append(parts, "request "+units.Count(all.Request, "instance", "instances"))
	}
	if all.Cancel > 0 {
		parts = append(parts, "take back "+units.Count(all.Cancel, "request", "requests"))
	}
	if all.Release > 0 {
		parts = append(parts, "release "+units.Count(all.Release, "instance", "instances"))
	}
	if p.Save {
		parts = append(parts, "save a checkpoint")
	}
	if parts == nil {
		parts = append(parts, "change nothing")
	}
	if p.Stages > 0 {
		parts = append(parts, fmt.Sprintf("train in %d x %d pipelines x stages", p.Pipelines, p.Stages))
	}
	return strings.Join(parts, ", ")
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

func someNumber(x *float64) string {
	if x == nil {
		return "none"
	}
	return cli.Significant(*x)
}

// ends is a finish, from the start.
func ends(x *float64) string { return orNever(x, advise.Elapsed) }

// orNever writes a number; nil: what it is of never happens.
func orNever(x *float64, as func(float64) string) string {
	if x == nil {
		return "never"
	}
	return as(*x)
}

func between(low, high *float64, as func(float64) string) string {
	return orNever(low, as) + " to " + orNever(high, as)
}

// startsOf writes when a job starts: the median, and where starts differ what 90 % of them are between.
func startsOf(q *advise.Quantiles) string {
	text := ends(q.P50)
	if q.P05 == nil || q.P95 != nil && *q.P05 == *q.P95 {
		return text
	}
	return text + " (" + between(q.P05, q.P95, advise.Elapsed) + ")"
}

// printCheck prints the intervals beside what the runs then gave.
func printCheck(w io.Writer, c *advise.Check) {
	shown := table.New("start", "now", "done|percent", "cost USD|usd", "90 % interval", "in",
		"finish", "90 % interval", "in", "met|percent", "was")
	for i := range c.Rows {
		row := &c.Rows[i]
		shown.Row(advise.Elapsed(row.StartS), advise.Elapsed(row.NowS), row.Done,
			row.CostUSD, between(row.USD.P05, row.USD.P95, units.USD), row.CostIn90,
			ends(row.FinishS), between(row.Finish.P05, row.Finish.P95, advise.Elapsed), row.FinishIn90,
			row.MetShare, row.Met)
	}
	term.Print(w, shown)
	instants := len(c.Rows)
	fmt.Fprintf(w, "%s at %s of %s, %s each; start, from the beginning of the traces, now and finish, from the start\n",
		c.Policy, units.Count(instants, "instant", "instants"), units.Count(c.Runs, "run", "runs"),
		units.Count(c.Continuations, "continuation", "continuations"))
	inIntervals := func(what string, in90, in50 int, central []float64) {
		ranked90 := percent(central[0] / float64(instants))
		ranked50 := percent(central[1] / float64(instants))
		fmt.Fprintf(w, "%-7s in the 90 %% interval %d of %d (%s with ties by their ranks), "+
			"in the 50 %% interval %d (%s)\n", what, in90, instants, ranked90, in50, ranked50)
	}
	inIntervals("cost:", c.Cost90, c.Cost50, c.Central[:2])
	inIntervals("finish:", c.Finish90, c.Finish50, c.Central[2:])
	fmt.Fprintln(w, "ties by their ranks: what ends alike, as many continuations do, "+
		"is spread over the ranks that it takes: 90 % and 50 % are expected")
	printWidened(w, c)
	fmt.Fprintf(w, "met:    %d of %d, where the mean probability was %s\n", c.Met, instants, percent(c.MeanMet))
}

// printWidened prints what intervals hold that are widened for the outcomes of earlier instants.
func printWidened(w io.Writer, c *advise.Check) {
	of := c.Widened
	if of == nil {
		fmt.Fprintln(w, "widened: from the 20th outcome on, which no instant has behind it")
		return
	}
	rows := float64(of.Rows)
	fmt.Fprintf(w, "widened by the outcomes that were known (from the 20th on, %s), with ties by their ranks:\n",
		units.Count(of.Rows, "instant", "instants"))
	for k, what := range [...]string{"cost:", "finish:"} {
		k *= 2
		fmt.Fprintf(w, "%-7s in the 90 %% interval %s (%s before, %.1f times as wide), "+
			"in the 50 %% interval %s (%s, %.1f)\n", what,
			percent(of.Central[k]/rows), percent(of.Before[k]/rows), of.Times[k],
			percent(of.Central[k+1]/rows), percent(of.Before[k+1]/rows), of.Times[k+1])
	}
}

// maxJobs bounds the jobs that are printed.
const maxJobs = 50

// printJobs prints what is to become of many jobs.
func printJobs(w io.Writer, a *advise.Advice) {
	runs := 0
	did := map[string]int{}
	for _, j := range a.Jobs {
		did[j.Do]++
		if len(j.From) > 0 {
			runs++
		}
	}
	fmt.Fprintf(w, "now %s: %s after the start, %d of %s run, %d wait, %s USD are spent\n\n",
		a.Now, advise.Elapsed(a.ElapsedS), runs, units.Count(len(a.Jobs), "job", "jobs"), len(a.Jobs)-runs,
		units.USD(a.SpentUSD))
	var does []string
	for _, do := range []string{"start", "stop", "move"} {
		if did[do] > 0 {
			does = append(does, do+" "+units.Count(did[do], "job", "jobs"))
		}
	}
	if does == nil {
		does = []string{"change nothing"}
	}
	next := "when a job comes or ends, or GPUs come or go"
	if at := a.Plan.NextS; at != nil {
		next = fmt.Sprintf("in %s, or sooner %s", advise.Elapsed(*at-a.ElapsedS), next)
	}
	fmt.Fprintf(w, "%s would now %s; it decides again %s\n", a.Plan.Policy, strings.Join(does, ", "), next)
	printWhy(w, &a.Plan)
	shown := table.New("job", "GPUs", "do", "where", "done|percent", "starts", "end", "90 % of them",
		"deadline", "met|percent", "note")
	jobs := slices.Clone(a.Jobs)
	slices.SortStableFunc(jobs, func(x, y advise.JobChange) int { return cmp.Compare(urgency(&x), urgency(&y)) })
	for i := range jobs[:min(len(jobs), maxJobs)] {
		job := &jobs[i]
		starts := ""
		if job.Do == "wait" && job.Done == 0 { // else it had GPUs before
			starts = startsOf(&job.StartS)
		}
		cells := []any{job.Job, job.GPUs, job.Do, whereOf(job), job.Done, starts,
			ends(job.FinishS.P50), between(job.FinishS.P05, job.FinishS.P95, advise.Elapsed)}
		if job.DeadlineS == nil {
			cells = append(cells, "", nil)
		} else {
			cells = append(cells, advise.Elapsed(*job.DeadlineS), job.Met)
		}
		shown.Row(append(cells, job.Note)...)
	}
	term.Print(w, shown)
	if more := len(jobs) - maxJobs; more > 0 {
		fmt.Fprintf(w, "and %d more jobs (--json has all)\n", more)
	}
	rented := a.Plan
	isOwn := func(c advise.Change) bool { return c.Market == "own" }
	rented.Changes = slices.DeleteFunc(slices.Clone(rented.Changes), isOwn)
	printPools(w, &rented)
}

// urgency orders jobs: those of which something is done, then those at risk, then the others.
func urgency(j *advise.JobChange) int {
	switch {
	case j.Do == "stop":
		return 0
	case j.Do == "move":
		return 1
	case j.Do == "start":
		return 2
	case j.AtRisk:
		return 3
	}
	return 4
}

// whereOf says where a job is and is to be.
func whereOf(j *advise.JobChange) string {
	switch j.Do {
	case "stop":
		return places(j.From) + " -> nowhere"
	case "move":
		return places(j.From) + " -> " + places(j.To)
	}
	return places(j.To)
}

func places(all []advise.Where) string {
	var out []string
	for _, x := range all {
		out = append(out, fmt.Sprintf("%d %s", x.N, x.Pool))
	}
	return strings.Join(out, " + ")
}

// risky lists the jobs whose deadline is at risk.
func risky(jobs []advise.JobChange) string {
	var out []string
	for i := range jobs {
		if jobs[i].AtRisk {
			out = append(out, fmt.Sprintf("%s (%s)", jobs[i].Job, percent(jobs[i].Met)))
		}
	}
	const shown = 10
	if more := len(out) - shown; more > 0 {
		out = append(out[:shown], fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

func hoursOf(seconds *float64) string {
	return orNever(seconds, func(s float64) string { return fmt.Sprintf("%.2f", s/3600) })
}
