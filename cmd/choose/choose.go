// Package choose is the command marigram choose: what a job costs in each region, on each instance type and number of
// instances, on demand and on spot, as one table.
package choose

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/cmd/live/try"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/traces/catalogue"
)

type flags struct {
	Prices  []string `flag:"prices" required:"true" help:"prices: a file or folder of any format of a market, or pulled:NAME; may be repeated"`
	Nodes   []int    `flag:"nodes" help:"numbers of instances that train together; 1, 2 and 4 if absent"`
	Regions []string `flag:"region" split:"true" help:"only these regions, <a,b>"`
	Types   []string `flag:"type" split:"true" help:"only these instance types, <a,b>"`
	Within  string   `flag:"within" help:"<time> until the deadline, such as 60h; by default that of the first objective of JOB"`
	Budget  float64  `flag:"budget-usd" min:"0" max:"1e12" help:"rows are said to be above this many dollars, run by run; by default budget_usd of the first objective of JOB"`
	Late    float64  `flag:"usd-per-h-late" min:"0" max:"1e9" help:"dollars that an hour after the deadline costs: the deadline is soft, and rows are sorted by dollars with these; by default usd_per_h_late of that objective"`
	Starts  int      `flag:"starts" default:"12" min:"1" max:"1000" help:"runs of a row, from starts that are spread over the last 90 days of its prices"`
	Out     string   `flag:"out" help:"write the rows (CSV, JSON, Parquet), a figure and the spec of the best row into this <folder>"`
	JSON    bool     `flag:"json" help:"print all rows as JSON instead of the ten best as a table"`
}

// Command returns the command.
func Command() *cobra.Command {
	var f flags
	return cli.WithFlags(cli.OfSpec(&cobra.Command{
		Use:   "choose JOB --prices FILE",
		Short: "Compare regions, instance types, numbers of instances, spot and on demand for a job",
		Long: `Runs the job of a spec, its model, at recorded prices: in each region, on each instance type whose speed
the model knows and on each number of instances, on demand, on spot with a way back to on demand (safe:checkpoint), and
by mdp. It prints the ten best rows, those that meet the deadline (and the budget) in their share of the runs first, by
mean dollars, and with --out writes all of them. Rows that cannot be run say why. The market of JOB is not used.`,
		Example: `  marigram choose job.yaml --prices prices.json --within 60h
  marigram choose job.yaml --prices aws.json --prices gcp.csv --region us-east-1,us-central1 --nodes 2,4 --out choice`,
	}, f.run), &f)
}

// files are what the command writes.
var files = slices.Concat([]string{"rows.csv", "rows.json", "rows.parquet", "best.yaml"}, plots.Files("choice"))

func (f *flags) run(cmd *cobra.Command, name string) error {
	study, err := f.open(name)
	if err != nil {
		return err
	}
	if err := cli.CheckInto(study.inputs, f.Out, files...); f.Out != "" && err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	bar := cli.NewBar(cmd.ErrOrStderr(), int64(len(study.offers)), "offers", "")
	rows, err := study.rows(cmd.Context(), bar)
	bar.Clear()
	if err != nil {
		return err
	}
	if f.Out != "" {
		if err := f.write(cmd, rows, study); err != nil {
			return cli.Failed(err)
		}
	}
	if f.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), rows)
	}
	f.print(cmd.OutOrStdout(), rows, study)
	return nil
}

// open reads the job and the prices.
func (f *flags) open(name string) (*comparison, error) {
	job, err := spec.Open(name)
	if err != nil {
		return nil, err
	}
	if len(job.Objectives) == 0 {
		return nil, fmt.Errorf("%s is of many jobs, expected a spec of one job with an objective", name)
	}
	c := &comparison{flags: f, job: job, share: 0.95, hours: job.Objectives[0].TimeS / 3600, inputs: []string{name}}
	if share := job.Objectives[0].Share; share != nil {
		c.share = *share
	}
	if f.Within != "" {
		if c.hours, err = spec.ParseHours(f.Within); err != nil {
			return nil, fmt.Errorf("--within %q: expected hours, such as 40 or 40h", f.Within)
		}
	}
	f.takeGoal(&job.Objectives[0])
	if f.Nodes == nil {
		f.Nodes = []int{1, 2, 4}
	}
	for _, path := range f.Prices {
		set, err := cli.LoadTrace(path)
		if err != nil {
			return nil, err
		}
		market, err := try.Of(f.fromOut(path), set)
		if err != nil {
			return nil, err
		}
		c.inputs = append(c.inputs, path)
		c.add(path, market)
	}
	return c, c.check()
}

// takeGoal takes what the objective asks for beside its deadline, unless flags say it.
func (f *flags) takeGoal(o *spec.Objective) {
	kind := o.Kind()
	if !kind.WithDeadline {
		return
	}
	if kind.LateUSD != nil {
		f.Late = cmp.Or(f.Late, *o.GoalValue())
	} else {
		f.Budget = cmp.Or(f.Budget, *o.GoalValue())
	}
}

// fromOut is a path of prices as a spec in the folder of the results names it.
func (f *flags) fromOut(path string) string {
	rel, err := filepath.Rel(f.Out, path)
	if err != nil || f.Out == "" || filepath.IsAbs(path) || strings.HasPrefix(path, catalogue.PulledPrefix) ||
		store.IsRemote(path) {
		return path
	}
	return filepath.ToSlash(rel)
}

// shown is how many rows are printed.
const shown = 10

func (f *flags) print(w io.Writer, rows []Row, c *comparison) {
	head := []string{"region", "type", "nodes", "policy", "USD|usd", "95 %", "hours|%.1f", "late|percent", "memory"}
	if f.Budget > 0 {
		head = append(head, "above budget|percent")
	}
	t := table.New(head...)
	for i := range rows[:min(shown, len(rows))] {
		if row := &rows[i]; row.USD != nil {
			cells := []any{
				row.Region, row.Type, int(row.Nodes), row.Policy,
				*row.USD, row.interval(), row.Hours, row.Late, row.Memory,
			}
			if f.Budget > 0 {
				cells = append(cells, row.OverBudget)
			}
			t.Row(cells...)
		}
	}
	fmt.Fprintf(w, "%s within %.4g h in %.4g %% of the runs%s: %s, the best of %d\n", c.job.Name, c.hours, 100*c.share,
		f.asked(), units.Count(min(shown, len(rows)), "row", "rows"), len(rows))
	term.Print(w, t)
	for _, text := range c.said(rows) {
		fmt.Fprintln(w, text)
	}
	if f.Out != "" && rows[0].USD != nil && !term.IsQuiet(w) {
		fmt.Fprintln(w, "next: marigram run", cli.ShellWord(store.Join(f.Out, "best.yaml")))
	} else if !term.IsQuiet(w) {
		fmt.Fprintln(w, "next: --out FOLDER writes all rows, a figure, and the spec of the best row")
	}
}

// asked says what is asked for beside the deadline.
func (f *flags) asked() string {
	text := ""
	if f.Budget > 0 {
		text += fmt.Sprintf(", for at most %.6g USD", f.Budget)
	}
	if f.Late > 0 {
		text += fmt.Sprintf(", %.6g USD for an hour that is late", f.Late)
	}
	return text
}

// write writes the rows, the figure and the spec of the best row.
func (f *flags) write(cmd *cobra.Command, rows []Row, c *comparison) error {
	version, commit := cli.BuildVersion()
	meta := map[string]string{
		"marigram": version,
		"commit":   commit,
		"job":      c.job.Name,
		"prices":   strings.Join(f.Prices, ", "),
	}
	_, err := store.Files(cmd.Context(), f.Out, files, func(dir string) ([]string, error) {
		written := []string{"rows.csv", "rows.json", "rows.parquet"}
		text, err := columnar.CreateCSV[Row](store.Join(dir, written[0]))
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(text.Append(rows), text.Close()); err != nil {
			return nil, err
		}
		write := func(w io.Writer) error { return cli.WriteJSON(w, rows) }
		if err := store.Write(cmd.Context(), store.Join(dir, written[1]), write); err != nil {
			return nil, err
		}
		if err := columnar.Write(store.Join(dir, written[2]), meta, rows); err != nil || rows[0].USD == nil {
			return written, err
		}
		path := store.Join(dir, "best.yaml")
		if err := store.WriteBytes(cmd.Context(), path, c.specs[rows[0].name()]); err != nil {
			return nil, err
		}
		title := c.job.Name + ": dollars and hours"
		subtitle := strings.TrimPrefix(c.asked(), ", ")
		drawn, err := plots.Choices(title, subtitle, c.hours, points(rows))
		if err != nil {
			return nil, err
		}
		saved, err := plots.SaveFigures(dir, []plots.Named{{Name: "choice", Figure: drawn}})
		for _, path := range saved {
			written = append(written, filepath.Base(path))
		}
		return append(written, "best.yaml"), err
	})
	return err
}

// points are the rows of a figure.
func points(rows []Row) (out []plots.Choice) {
	for i := range rows {
		if row := &rows[i]; row.USD != nil && row.Hours != nil {
			out = append(out, plots.Choice{Policy: row.Policy, Hours: *row.Hours, USD: *row.USD, Meets: row.Meets,
				Text: fmt.Sprintf("%d x %s, %s", row.Nodes, row.Type, row.Region)})
		}
	}
	return out
}

// said is what has to be known of all rows, each once: dates, what was assumed, what could not be run.
func (c *comparison) said(rows []Row) (texts []string) {
	texts = append(texts, "95 %: interval of the mean; hours: mean of the runs that finished; "+
		"late: share of the runs after the deadline; memory: whether the job fits, as far as its model knows")
	dates := strings.Join(c.dates(rows), "; ")
	if c.different {
		texts = append(texts, "dates: the prices are of different dates, so that rows of one do not say what those of "+
			"another cost on the same day: "+dates)
	} else {
		texts = append(texts, "dates: "+dates)
	}
	assumed := c.assumed
	if len(assumed) > 0 {
		texts = append(texts, "assumed: "+strings.Join(assumed, "; "))
	}
	why := map[string]int{}
	var reasons []string
	for i := range rows {
		if text := rows[i].Refused; text != "" {
			if why[text] == 0 {
				reasons = append(reasons, text)
			}
			why[text]++
		}
	}
	for _, reason := range reasons[:min(len(reasons), 3)] {
		texts = append(texts, fmt.Sprintf("not run: %s: %s", units.Count(why[reason], "row", "rows"), reason))
	}
	if len(reasons) > 3 {
		texts = append(texts, fmt.Sprintf("not run: %d other reasons; --out or --json has them", len(reasons)-3))
	}
	return texts
}

// dates returns the first and the last day of each source of prices.
func (c *comparison) dates(rows []Row) (texts []string) {
	for _, path := range c.Prices {
		from := ""
		to := ""
		for i := range rows {
			if row := &rows[i]; row.Prices == path && row.From != "" {
				from = min(cmp.Or(from, row.From), row.From)
				to = max(to, row.To)
			}
		}
		text := path + ", without dates"
		if from != "" {
			text = path + ", " + from + " to " + to
		}
		texts = append(texts, text)
	}
	return texts
}

// day is how a date is printed.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
