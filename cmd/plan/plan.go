// Package plan is the commands that compute one decision: marigram plan, without a simulation, and advise, from a live
// state.
package plan

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/spf13/cobra"
)

// Command returns the command.
func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "plan",
		Short:   "Compute one decision, without a simulation",
		Example: "  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.8 --time 2400s",
	}, spotDNNCommand(), parcaeCommand(), recommendCommand(), startCommand(), offersCommand(), reliabilityCommand())
}

// planFlags are the inputs of one spotDNN plan.
type planFlags struct {
	Profile      string        `flag:"profile" help:"CSV <file>: instance types, quotas, prices, measured speeds"`
	Coefficients string        `flag:"coefficients" help:"CSV <file>: coefficients of the model"`
	Published    string        `flag:"published" complete:"@profiles" help:"<name> of a profile that comes with marigram, instead of the two files"`
	Loss         float64       `flag:"loss" required:"true" help:"training loss to reach"`
	Time         time.Duration `flag:"time" required:"true" above:"0" help:"time limit, with its unit: 2400s, 40m"`
	Form         string        `flag:"loss-form" default:"artifact" names:"artifact,paper,figures" help:"published form of the loss: {names}; paper needs gamma4"`
	Strategy     string        `flag:"strategy" default:"spotdnn" names:"@strategies" help:"<name> of the search: {names}"`
	Over         float64       `flag:"over-prediction" min:"0" max:"1" help:"share by which predicted contention is increased, 0 to 1"`
	cli.Answer
}

var (
	_ = cli.NameList("profiles", func() []cli.Name { return cli.Names(ps.PublishedNames()...) })
	_ = cli.NameList("strategies", func() (out []cli.Name) {
		for _, s := range spotdnn.Strategies() {
			out = append(out, cli.Name{Name: s.Name, Doc: s.Doc})
		}
		return out
	})
)

func spotDNNCommand() *cobra.Command {
	var f planFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "spotdnn",
		Short: "Show the cluster that spotDNN would choose now, and its predictions",
		Long: "Searches for the cheapest cluster of spot instances that reaches a loss within a\n" +
			"time, at the prices and quotas of the profile. If no plan is feasible, it says\n" +
			"so; the exit status is 0.\n\n" + cli.NamesHelp("Strategies", "strategies"),
		Example: `  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.8 --time 2400s
  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.7 --time 3700s --strategy srifty+
  marigram plan spotdnn --profile profile.csv --coefficients coefficients.csv --loss 0.8 --time 40m --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := f.plan()
			if err != nil {
				return err
			}
			return f.Give(cmd, plan, plan.print)
		},
	}, &f)
}

// spotPlan is the answer, with the names of its JSON form.
type spotPlan struct {
	Feasible    bool           `json:"feasible"`
	Counts      map[string]int `json:"counts"`
	Workers     int            `json:"workers"`
	Batch       float64        `json:"wa_batch"`
	Convergence float64        `json:"convergence_coefficient"`
	Iterations  float64        `json:"normalized_iterations"`
	TimeS       float64        `json:"training_time_s"`
	CostUSD     float64        `json:"cost_usd"`
	Windows     int            `json:"windows"`
	Reason      string         `json:"reason,omitempty"`

	types []string
}

func (f *planFlags) inputs() (ps.Profile, ps.Coefficients, error) {
	files := f.Profile != "" || f.Coefficients != ""
	switch {
	case f.Published != "" && !files:
		return ps.Published(f.Published)
	case f.Published != "" || f.Profile == "" || f.Coefficients == "":
		return nil, ps.Coefficients{}, errors.New("expected --profile and --coefficients, or --published")
	}
	profile, err := ps.OpenProfile(f.Profile)
	if err != nil {
		return nil, ps.Coefficients{}, err
	}
	coef, err := ps.OpenCoefficients(f.Coefficients)
	return profile, coef, err
}

func (f *planFlags) plan() (*spotPlan, error) {
	profile, coef, err := f.inputs()
	if err != nil {
		return nil, err
	}
	form, err := ps.ParseForm(f.Form)
	if err != nil {
		return nil, fmt.Errorf("--loss-form: %w", err)
	}
	strategy, err := spotdnn.NewStrategy(f.Strategy)
	if err != nil {
		return nil, fmt.Errorf("--strategy: %w", err)
	}
	model, err := ps.NewASP(profile, coef, form, profile.Types())
	switch {
	case err != nil:
		return nil, err
	case !(f.Loss > model.Floor()) || math.IsInf(f.Loss, 1):
		return nil, fmt.Errorf("--loss %v, expected more than %v, the floor that the model's loss approaches", f.Loss,
			model.Floor())
	}
	task := spotdnn.Task{Model: model, From: math.Inf(1), To: f.Loss, Seconds: f.Time.Seconds(), Margin: f.Over,
		Have: make([]int, len(profile))}
	for _, row := range profile {
		task.Free = append(task.Free, row.Quota)
		task.USD = append(task.USD, row.SpotUSDPerH)
	}
	return newSpotPlan(profile, strategy.Search(&task)), nil
}

func newSpotPlan(profile ps.Profile, c spotdnn.Choice) *spotPlan {
	made := &spotPlan{
		Feasible: c.Feasible,
		Counts:   map[string]int{},
		Windows:  c.Evaluated,
		Reason:   c.Reason,
		types:    profile.Types(),
	}
	for i, name := range made.types {
		made.Counts[name] = 0
		if c.Feasible {
			made.Counts[name] = c.Counts[i]
		}
	}
	if c.Feasible {
		made.Workers = c.Workers
		made.Batch = c.Batch
		made.Convergence = c.Convergence
		made.Iterations = c.Iterations
		made.TimeS = c.Seconds
		made.CostUSD = c.USD
	}
	return made
}

func (p *spotPlan) print(w io.Writer) {
	if !p.Feasible {
		fmt.Fprintf(w, "no feasible plan: %s (%d clusters evaluated)\n", p.Reason, p.Windows)
		return
	}
	shown := table.New("instance type", "count")
	for _, name := range p.types {
		if p.Counts[name] > 0 {
			shown.Row(name, p.Counts[name])
		}
	}
	term.Print(w, shown)
	fmt.Fprintf(w, "\nworkers %d, weighted batch %.1f samples, convergence coefficient %.2f\n%.0f "+
		"normalised iterations in %.2f s, %s USD; %d clusters evaluated\n",
		p.Workers, p.Batch, p.Convergence, p.Iterations, p.TimeS, units.USD(p.CostUSD), p.Windows)
}
