package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/report"
)

// explainFlags say which decision of which run is explained.
type explainFlags struct {
	at, policy, objective string
	run, seed             int64 // -1: any
	json, dollars, allow  bool
	job                   string // one of many jobs, by name or number
	ownBill               string // a cloud's bill, beside which the simulated one is laid
}

// Explain returns the command that explains a decision.
func Explain() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain DIR {--at TIME | --job NAME | --dollars}",
		Short: "Say why a policy did what it did at a moment, why a job waited, or where dollars went",
		Long: `Explains the last decision at or before a moment of a run that marigram run wrote
into DIR: what the policy saw, the candidates that it weighed up with their
scores, what it took and why, and what became of it until the plan changed again.

TIME counts from the start of the run: hours and minutes (3:12), with seconds
(3:12:30), or a span (192m, 3h12m30s). A whole second stands for all of it: of several
decisions in it the last is explained. Decisions on the policy's own timer that
changed nothing are not kept. Of a sweep the run of a number (--run) is simulated
again, since sweeps keep totals only. Of a run folder it is the first that kept a timeline and has the
--policy, --objective, --seed and number that are asked for.

--job says what became of one of many jobs (jobs in the spec), by its name or else its number:
when it had GPUs and which, when it waited and why: what was free, who had the rest, who was
ahead, and what the scheduler did.

--dollars says where every dollar went: the parts of the bill, to the microdollar, as a
mean over the runs that are asked for (of the policy and objective of the first). --own-bill
lays a bill of your cloud beside it, a CSV file: Amazon's cost and usage report
(lineItem/UsageType, lineItem/UnblendedCost), or the columns usage_type and usd with,
where the name does not say it, part: spot, on demand, commitments, transfers, disks,
storage, tax, credits or other.`,
		Example: `  marigram run quickstart --out out
  marigram explain out --at 0:10
  marigram explain out --at 1:00 --policy spotdnn --seed 1
  marigram explain out --dollars --policy spotdnn
  marigram explain out --job 17 --policy tiresias`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.at != "" && (f.dollars || f.job != "" || f.ownBill != "") || f.dollars && f.job != "" {
				return errors.New("expected one of --at TIME, --job NAME and --dollars (with --own-bill FILE or without)")
			}
			if f.dollars || f.ownBill != "" {
				return f.explainDollars(cmd, args[0])
			}
			if f.at == "" && f.job == "" {
				return errors.New("--at TIME, --job NAME or --dollars is missing")
			}
			q := report.Question{Job: f.job}
			var err error
			if q.Job == "" {
				if q.AtS, err = clockTime(f.at); err != nil {
					return fmt.Errorf("--at: %w", err)
				}
			}
			set, err := f.read(cmd, args[0])
			if err != nil {
				return err
			}
			e, err := report.Explain(&set, f.wants, q)
			if err != nil {
				return err
			}
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), e)
			}
			return cli.Failed(printExplanation(cmd.OutOrStdout(), e))
		},
	}
	f.add(cmd)
	return cmd
}

// add adds the flags of the command.
func (f *explainFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.at, "at", "", "`time` from the start of the run, 3:12 or 192m")
	flags.StringVar(&f.job, "job", "", "`name` or number of one of many jobs")
	flags.StringVar(&f.policy, "policy", "", "a run of this policy, by `name`")
	flags.StringVar(&f.objective, "objective", "", "a run for the objective of this `label`")
	flags.Int64Var(&f.seed, "seed", -1, "a run under this seed; -1: any")
	flags.Int64Var(&f.run, "run", -1, "`number` of the run, as in summary.parquet; -1: any")
	cli.AllowCommands(cmd, &f.allow)
	flags.BoolVar(&f.json, "json", false, "print JSON; times are seconds from the start of the run")
	flags.BoolVar(&f.dollars, "dollars", false, "say where every dollar went")
	flags.StringVar(&f.ownBill, "own-bill", "", "lay the bill in this CSV `file` beside the simulated one")
	cli.Must(cmd.RegisterFlagCompletionFunc("policy", cli.CompletePolicies))
}

// wants says whether a run is one that is asked for.
func (f *explainFlags) wants(s *results.Summary) bool {
	return (f.policy == "" || s.Policy == f.policy) && (f.objective == "" || s.Objective == f.objective) &&
		(f.seed == -1 || s.Seed == f.seed) && (f.run == -1 || s.Run == f.run)
}

// read reads the tables of a folder that marigram run wrote, or simulates the run of a
// sweep again that is asked for.
func (f *explainFlags) read(cmd *cobra.Command, dir string) (results.Set, error) {
	if !cli.IsSweep(dir) {
		return readRuns(cmd, dir)
	}
	if f.run < 0 {
		return results.Set{}, fmt.Errorf("--run is missing: %s is of a sweep, which keeps no decisions; "+
			"the run of that number is simulated again", dir)
	}
	folder, err := sweep.OpenFolder(dir)
	if err != nil {
		return results.Set{}, err
	}
	folder.AllowCommands = f.allow
	set, err := folder.Resimulate(cmd.Context(), []int64{f.run})
	if err != nil {
		return results.Set{}, err
	}
	return *set, nil
}

// clockTime reads h:mm, h:mm:ss or a span, and returns seconds.
func clockTime(text string) (float64, error) {
	bad := fmt.Errorf("%q, expected a time from the start of the run such as 3:12, 3:12:30 or 192m", text)
	if !strings.Contains(text, ":") {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return 0, bad
		}
		return d.Seconds(), nil
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return 0, bad
	}
	seconds := 0
	for i, unit := range []int{3600, 60, 1}[:len(parts)] {
		n, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil || i > 0 && n > 59 {
			return 0, bad
		}
		seconds += int(n) * unit
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

func printExplanation(w io.Writer, e *report.Explanation) error {
	p := printer{w: w}
	p.line("run %d: %s, %s, seed %d", e.Run, e.Policy, e.Objective, e.Seed)
	if e.JobStory != nil {
		p.story(e.JobStory, e.EndS)
	} else {
		p.decision(e)
	}
	return p.err
}

func (p *printer) decision(e *report.Explanation) {
	ended := ""
	if e.AskedS > e.EndS {
		ended = "; the run ended at " + clock(e.EndS)
	}
	p.line("decision %d at %s: asked for %s (the last at or before %s%s)\n", e.Number, clock(e.AtS), e.Trigger,
		clock(e.AskedS), ended)
	p.line("state    %s", e.State)
	switch {
	case e.Jobs > 1:
		p.line("         %s USD spent", format.USD(e.CostUSD))
	case e.RemainingS >= 0:
		p.line("         %s left to the objective, %s USD spent", clock(e.RemainingS), format.USD(e.CostUSD))
	default:
		p.line("         %s past the objective, %s USD spent", clock(-e.RemainingS), format.USD(e.CostUSD))
	}
	for i, x := range e.Prices {
		p.line("%-8s %s at %.4f USD/h", []string{"prices", ""}[min(i, 1)], x.Pool, x.USDPerH)
	}
	if e.Inputs != "" {
		p.line("inputs   %s", e.Inputs)
	}
	p.line("plan     %s", e.Plan)
	if !e.Changed {
		p.line("         as before: the plan is that of %s", clock(e.PlanS))
	}
	if e.Reason != "" {
		p.line("reason   %s", e.Reason)
	}
	p.candidates(e.Candidates)
	p.outcome(e)
}

// printer prints lines until one fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) candidates(list []report.Candidate) {
	if len(list) == 0 {
		p.line("\nno candidates: the policy follows a rule, or kept its plan")
		return
	}
	p.line("")
	t := term.NewTable("candidate", "score", "unit", "chosen", "note")
	for _, c := range list {
		score, chosen := "none", ""
		if c.Score != nil {
			score = cli.Significant(*c.Score)
		}
		if c.Chosen {
			chosen = "chosen"
		}
		t.Row(c.Name, score, c.Unit, chosen, c.Note)
	}
	if p.err == nil {
		p.err = t.Print(p.w)
	}
}

func (p *printer) outcome(e *report.Explanation) {
	o := &e.Outcome
	p.line("\nuntil %s (%s): %d granted, %d revoked, %d ready at its end", clock(o.UntilS), o.EndedBy, o.Granted,
		o.Revoked, o.ReadyAtEnd)
	switch {
	case o.CompleteS == nil:
		p.line("what it wanted was never there as a whole")
	case *o.CompleteS <= e.AtS:
		p.line("what it wanted was there at once")
	default:
		p.line("what it wanted was there at %s", clock(*o.CompleteS))
	}
	p.line("progress %.1f %% to %.1f %%, %s USD", 100*o.ProgressFrom, 100*o.ProgressTo, format.USD(o.CostUSD))
}
