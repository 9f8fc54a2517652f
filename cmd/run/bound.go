package run

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

type boundFlags struct {
	cli.SpecFlags
	cli.Starts
	WithoutForesight bool `flag:"without-foresight" help:"also a lower bound of the expected cost of policies that do not know the future (synthetic markets)"`

	JSON bool `flag:"json" help:"print a JSON array, a row an objective, start and seed, instead of the tables"`
}

// Bound returns the command marigram bound: the least that any policy can cost.
func Bound() *cobra.Command {
	var f boundFlags
	return cli.WithFlags(cli.OfSpec(&cobra.Command{
		Use:   "bound SPEC",
		Short: "The least that any policy can cost, and whether one can meet the objective",
		Long: `Works out for every objective, start and seed of a spec what no policy can beat, even one that
knows the future: the least cost of a run that meets the objective, and the least time.
It runs the spec's policies as well and prints how far they are above the bound; for
workers on parameter servers also the policy clairvoyant, which looks for a schedule that
is as cheap as can be: what a policy can cost at least lies between the two.

"above bound" is cost / bound - 1 of the runs that met the objective. A run that met it
below the bound is a defect of the program: an error that names the run, both numbers and
a command that does it again (exit code 1). The bound holds for asynchronous workers on
parameter servers, and for data-parallel jobs and pipelines on one instance type; anything
else is refused, with the key of the spec that rules it out. marigram run --bound, and
bound: true in a sweep, write it into the results.

--without-foresight adds what a policy pays at least, in expectation, that does not know the future and always
meets the objective: for synthetic markets, whose law the spec states. The
mean over the seeds is the bound, with a standard error; a single seed's number says nothing.

Through recorded traces, --every 6h looks at all starts that leave a whole horizon.`,
		Example: `  marigram bound quickstart --seeds 20
  marigram bound quickstart --without-foresight --policy mdp
  marigram bound my.yaml --policy spotdnn-safe --json
  marigram bound recorded.yaml --every 6h --seeds 1`,
	}, f.run), &f)
}

func (f *boundFlags) run(cmd *cobra.Command, name string) error {
	s, _, err := f.Open(name)
	if err != nil {
		return err
	}
	if f.WithoutForesight {
		if err := s.LawKnown(); err != nil {
			return err
		}
	}
	addClairvoyant(s)
	study, rows, err := f.Bounds(cmd.Context(), s, true)
	if err != nil {
		return err
	}
	term.WarnAll(cmd.ErrOrStderr(), study.Warnings)
	if f.WithoutForesight {
		if err := study.WithoutForesight(cmd.Context(), rows); err != nil {
			return err
		}
	}
	if f.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), rows)
	}
	points := len(rows) / len(s.Objectives)
	for i := range s.Objectives {
		f.print(cmd.OutOrStdout(), study, i, rows[i*points:(i+1)*points])
	}
	return nil
}

// addClairvoyant adds the policy that knows the future, where the model is one for it.
func addClairvoyant(s *spec.Spec) {
	const name = "clairvoyant"
	var names []string
	for _, p := range s.Policies {
		names = append(names, p.Name)
	}
	if !slices.Contains(names, name) && s.Workload().HasObjectives() && s.Objectives != nil {
		_ = s.Choose(append(names, name)) // else the spec is as it was
	}
}

// print prints one objective, by its number: the bound first, then the policies beside it.
func (f *boundFlags) print(w io.Writer, study *experiments.Study, objective int, rows []experiments.BoundRow) {
	if objective > 0 {
		fmt.Fprintln(w)
	}
	if rows[0].MostWork != nil {
		printMostWork(w, study, &study.Spec.Objectives[objective], rows)
		return
	}
	var bounds, fastest, percent []float64
	spot := 0
	for i := range rows {
		row := &rows[i]
		if row.BoundUSD != nil {
			bounds = append(bounds, *row.BoundUSD)
			fastest = append(fastest, *row.FastestS)
			percent = append(percent, *row.PercentUSD)
		}
		if rows[i].OnSpotUSD != nil {
			spot++
		}
	}
	seeds := study.Spec.Seeds
	fmt.Fprintf(w, "%s: a policy can meet the objective %s, on spot alone %s %d\n", rows[0].Objective,
		f.Of("at most ", len(bounds), len(rows), seeds), f.In(seeds), spot)
	if len(bounds) < len(rows) {
		fmt.Fprintln(w, f.Never(rows, seeds))
	}
	printBoundTable(w, study, rows, bounds)
	if study.Spec.WholeJob() {
		fmt.Fprintln(w, "clairvoyant, a schedule near the bound, is for workers on parameter servers only: "+
			"how far policies could get is not known")
	}
	if len(fastest) > 0 {
		slices.Sort(fastest)
		slices.Sort(percent)
		fmt.Fprintf(w, "the last 1 %% of the training costs the bound's schedule %s USD (median)\n",
			units.USD(percent[len(percent)/2]))
		fmt.Fprintf(w, "no run can finish before %.0f s (median; the least %.0f s, the most %.0f s)\n",
			fastest[len(fastest)/2], fastest[0], fastest[len(fastest)-1])
	}
}

// printBoundTable prints the bounds in dollars and what the policies cost.
func printBoundTable(w io.Writer, study *experiments.Study, rows []experiments.BoundRow, bounds []float64) {
	shown := table.New("policy", "met", "cost USD|usd", "bound USD|usd",
		"above bound|share", "median|share", "max|share")
	if len(bounds) > 0 {
		shown.Row("bound", fmt.Sprintf("%d/%d", len(bounds), len(rows)), nil, stats.Mean(bounds))
	}
	unknowing := withoutForesight(rows)
	note := ""
	if unknowing.N() > 1 {
		lowest, stdErr := unknowing.Mean()
		above := lowest/stats.Mean(bounds) - 1
		if math.Abs(above) < 1e-9 { // the same, added up in another order
			above = 0
		}
		shown.Row("bound without foresight", nil, lowest, stats.Mean(bounds), above)
		note = fmt.Sprintf("no policy that does not know the future and always meets the objective has "+
			"an expected cost below %s USD +- %s (standard error of %d futures)\n",
			units.USD(lowest), units.USD(stdErr), unknowing.N())
	}
	for i, policy := range study.Spec.Policies {
		shown.Row(policyCells(policy.Name, rows, i)...)
	}
	term.Print(w, shown)
	fmt.Fprint(w, note)
}

// policyCells are the cells of a policy: what its runs that met the objective cost, and how far above the bound that
// is.
func policyCells(name string, rows []experiments.BoundRow, policy int) []any {
	var costs, under, above []float64
	for i := range rows {
		if cost := rows[i].CostUSD[policy]; cost != nil {
			costs = append(costs, *cost)
			under = append(under, *rows[i].BoundUSD)
			above = append(above, *cost / *rows[i].BoundUSD - 1)
		}
	}
	if name == "clairvoyant" {
		name += " (knows the future)"
	}
	cells := []any{name, fmt.Sprintf("%d/%d", len(costs), len(rows))}
	if len(costs) > 0 {
		slices.Sort(above)
		cells = append(cells, stats.Mean(costs), stats.Mean(under), stats.Mean(costs)/stats.Mean(under)-1,
			above[len(above)/2], above[len(above)-1])
	}
	return cells
}

// printMostWork prints an objective of most work: what no policy exceeds for the budget, and what the policies did.
func printMostWork(w io.Writer, study *experiments.Study, of *spec.Objective, rows []experiments.BoundRow) {
	var shares []float64
	for i := range rows {
		shares = append(shares, *rows[i].MostWork)
	}
	fmt.Fprintf(w, "%s: no policy does more of the training than the bound for %.10g USD within %.10g s; "+
		"means of %d runs\n", of.Name, *of.GoalValue(), of.TimeS, len(rows))
	shown := table.New("policy", "work done|percent", "of the bound|percent")
	shown.Row("bound", stats.Mean(shares), 1.0)
	for p := range study.Spec.Policies {
		var done []float64
		for i := range rows {
			done = append(done, rows[i].Done[p])
		}
		shown.Row(study.Spec.Policies[p].Name, stats.Mean(done), stats.Mean(done)/stats.Mean(shares))
	}
	term.Print(w, shown)
}

// withoutForesight brings together the rows that have a bound without foresight.
func withoutForesight(rows []experiments.BoundRow) (f results.Foresight) {
	for i := range rows {
		if usd := rows[i].WithoutForesightUSD; usd != nil {
			f.Add(*usd, *rows[i].BoundUSD)
		}
	}
	return f
}
