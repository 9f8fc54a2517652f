// Package plan is the command marigram plan: one decision, without a simulation.
package plan

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/spf13/cobra"
)

// Command returns the command.
func Command() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:     "plan",
		Short:   "Compute one decision, without a simulation",
		Example: "  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.8 --time 2400s",
	}, spotDNNCommand(), parcaeCommand(), recommendCommand(), outOfCoreCommand(), sharingCommand(), startCommand())
}

// planFlags are the inputs of one spotDNN plan.
type planFlags struct {
	profile, coefficients, published string
	loss                             float64
	time                             time.Duration
	form, strategy                   string
	over                             float64
	json                             bool
}

func spotDNNCommand() *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "spotdnn",
		Short: "Show the cluster that spotDNN would choose now, and its predictions",
		Long: "Searches for the cheapest cluster of spot instances that reaches a loss within a\n" +
			"time, at the prices and quotas of the profile. If no plan is feasible, it says\n" +
			"so; the exit status is 0.\n\nStrategies:\n" + strategies(),
		Example: `  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.8 --time 2400s
  marigram plan spotdnn --published spotdnn-resnet110 --loss 0.7 --time 3700s --strategy srifty+
  marigram plan spotdnn --profile profile.csv --coefficients coefficients.csv --loss 0.8 --time 40m --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.plan()
			if err != nil {
				return err
			}
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), p)
			}
			return cli.Failed(p.print(cmd.OutOrStdout()))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "", "CSV `file`: instance types, quotas, prices, measured speeds")
	flags.StringVar(&f.coefficients, "coefficients", "", "CSV `file`: coefficients of the model")
	flags.StringVar(&f.published, "published", "",
		"`name` of a profile that comes with marigram, instead of the two files")
	flags.Float64Var(&f.loss, "loss", 0, "training loss to reach")
	flags.DurationVar(&f.time, "time", 0, "time limit, with its unit: 2400s, 40m")
	flags.StringVar(&f.form, "loss-form", "artifact",
		"one of spotDNN's published forms: artifact, paper or figures (paper needs gamma4 among the "+
			"coefficients; the published ResNet-110 ones have none)")
	flags.StringVar(&f.strategy, "strategy", "spotdnn",
		"`name` of the search: "+strings.Join(spotdnn.StrategyNames(), ", "))
	flags.Float64Var(&f.over, "over-prediction", 0, "share by which predicted contention is increased, 0 to 1")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	cli.Must(cmd.MarkFlagRequired("loss"))
	cli.Must(cmd.MarkFlagRequired("time"))
	cli.CompleteFlag(cmd, "loss-form", ps.Forms)
	cli.CompleteFlag(cmd, "strategy", spotdnn.StrategyNames())
	cli.CompleteFlag(cmd, "published", ps.PublishedNames())
	return cmd
}

// strategies describes them, one a line.
func strategies() string {
	var b strings.Builder
	for _, s := range spotdnn.Strategies() {
		fmt.Fprintf(&b, "  %-10s %s\n", s.Name, s.Doc)
	}
	return strings.TrimRight(b.String(), "\n")
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
	files := f.profile != "" || f.coefficients != ""
	switch {
	case f.published != "" && !files:
		return ps.Published(f.published)
	case f.published != "" || f.profile == "" || f.coefficients == "":
		return nil, ps.Coefficients{}, errors.New("expected --profile and --coefficients, or --published")
	}
	profile, err := ps.OpenProfile(f.profile)
	if err != nil {
		return nil, ps.Coefficients{}, err
	}
	coef, err := ps.OpenCoefficients(f.coefficients)
	return profile, coef, err
}

func (f *planFlags) plan() (*spotPlan, error) {
	profile, coef, err := f.inputs()
	if err != nil {
		return nil, err
	}
	form, err := ps.ParseForm(f.form)
	if err != nil {
		return nil, fmt.Errorf("--loss-form: %w", err)
	}
	strategy, err := spotdnn.NewStrategy(f.strategy)
	if err != nil {
		return nil, fmt.Errorf("--strategy: %w", err)
	}
	model, err := ps.NewASP(profile, coef, form, profile.Types())
	switch {
	case err != nil:
		return nil, err
	case !(f.over >= 0 && f.over <= 1):
		return nil, fmt.Errorf("--over-prediction %v, expected 0 to 1", f.over)
	case f.time <= 0:
		return nil, fmt.Errorf("--time %v, expected more than 0", f.time)
	case !(f.loss > model.Floor()) || math.IsInf(f.loss, 1):
		return nil, fmt.Errorf("--loss %v, expected more than %v, the floor that the model's loss approaches", f.loss,
			model.Floor())
	}
	task := spotdnn.Task{Model: model, From: math.Inf(1), To: f.loss, Seconds: f.time.Seconds(), Margin: f.over,
		Have: make([]int, len(profile))}
	for _, r := range profile {
		task.Free, task.USD = append(task.Free, r.Quota), append(task.USD, r.SpotUSDPerH)
	}
	return newSpotPlan(profile, strategy.Search(&task)), nil
}

func newSpotPlan(profile ps.Profile, c spotdnn.Choice) *spotPlan {
	p := &spotPlan{Feasible: c.Feasible, Counts: map[string]int{}, Windows: c.Evaluated, Reason: c.Reason,
		types: profile.Types()}
	for i, name := range p.types {
		p.Counts[name] = 0
		if c.Feasible {
			p.Counts[name] = c.Counts[i]
		}
	}
	if c.Feasible {
		p.Workers, p.Batch, p.Convergence, p.Iterations, p.TimeS, p.CostUSD = c.Workers, c.Batch, c.Convergence,
			c.Iterations, c.Seconds, c.USD
	}
	return p
}

func (p *spotPlan) print(w io.Writer) error {
	if !p.Feasible {
		_, err := fmt.Fprintf(w, "no feasible plan: %s (%d clusters evaluated)\n", p.Reason, p.Windows)
		return err
	}
	t := term.NewTable("instance type", "count")
	for _, name := range p.types {
		if n := p.Counts[name]; n > 0 {
			t.Row(name, fmt.Sprint(n))
		}
	}
	if err := t.Print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nworkers %d, weighted batch %.1f samples, convergence coefficient %.2f\n%.0f "+
		"normalised iterations in %.2f s, %s USD; %d clusters evaluated\n",
		p.Workers, p.Batch, p.Convergence, p.Iterations, p.TimeS, format.USD(p.CostUSD), p.Windows)
	return err
}
