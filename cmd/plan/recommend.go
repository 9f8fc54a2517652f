package plan

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/calibrate/stalls"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/policies"
)

func recommendCommand() *cobra.Command {
	var f recommendFlags
	cmd := &cobra.Command{
		Use:   "recommend",
		Short: "Rank instances by the cost of a training job within a time budget",
		Long: `Ranks instances: those within the time budget by cost, then the others by how late
they are. Speeds are measured (a profile of runs with an instance_type in each row), or
predicted for each instance type of the price list that has the GPU of a model file, or
fitted to a few measured sizes of data-parallel training (--speeds: a CSV file with the
columns type, workers and steps_per_s or samples_per_s; two or three sizes suffice).
Prices are on-demand: those of Stash (ICDCS 2023), unless a list is given. If nothing
meets the time budget, it says by how much; the exit status is 0.`,
		Example: `  marigram calibrate fit gavel-resnet50 --as data-parallel --where gpu=V100 -o v100.json
  marigram plan recommend --model v100.json --batch 64 --samples 1281167 --epochs 90 --within 48h
  marigram plan recommend --profile runs.csv --prices prices.csv --samples 50000 --epochs 200 --within 2h --json
  marigram plan recommend --speeds speeds.csv --global-batch 512 --price p3.2xlarge=3.06 --samples 1281167 --within 10h`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := f.recommend()
			if err != nil {
				return err
			}
			for _, o := range r.Offers {
				if o.Warning != "" {
					term.Warn(cmd.ErrOrStderr(), "%s: %s", o.InstanceType, o.Warning)
				}
			}
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), r)
			}
			return cli.Failed(r.print(cmd.OutOrStdout()))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "", "CSV `file` of measured runs, one configuration per row")
	flags.StringArrayVar(&f.where, "where", nil,
		"only rows of the profile with this `column=value`; may be repeated")
	flags.StringVar(&f.model, "model", "", "model `file` of marigram calibrate fit, instead of the profile")
	flags.IntVar(&f.batch, "batch", 0, "mini-batch of one GPU, with --model")
	flags.StringVar(&f.speeds, "speeds", "", "CSV `file` of data-parallel speeds, instead of the profile")
	flags.Float64Var(&f.globalBatch, "global-batch", 0, "samples of a step of all workers, with --speeds")
	flags.Float64Var(&f.workerBatch, "batch-per-worker", 0, "samples of a step of one worker, with --speeds")
	flags.IntVar(&f.workers, "workers", 0, "try up to so many `workers`, with --speeds; as many as were measured if absent")
	flags.StringToStringVar(&f.price, "price", nil, "`type=USD` an hour of an instance type, before the list; may be repeated")
	flags.StringVar(&f.prices, "prices", "", "CSV `file`: instance_type, gpu, gpus, usd_per_h")
	flags.Float64Var(&f.samples, "samples", 0, "samples in an epoch")
	flags.Float64Var(&f.epochs, "epochs", 1, "epochs to train")
	flags.DurationVar(&f.within, "within", 0, "time budget, with its unit: 90m, 48h")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	cli.Must(cmd.MarkFlagRequired("samples"))
	cli.Must(cmd.MarkFlagRequired("within"))
	return cmd
}

// recommendation is the answer, with the names of its JSON form.
type recommendation struct {
	Feasible bool                   `json:"feasible"`
	LateS    float64                `json:"late_s"` // of the fastest; 0 if feasible
	Offers   []policies.Recommended `json:"offers"` // best first

	within time.Duration
}

func (f *recommendFlags) recommend() (*recommendation, error) {
	positive := func(x float64) bool { return x > 0 && x <= most }
	switch {
	case count(f.profile, f.model, f.speeds) != 1:
		return nil, errors.New("expected one of --profile, --model and --speeds")
	case f.speeds == "" && (f.globalBatch != 0 || f.workerBatch != 0 || f.workers != 0):
		return nil, errors.New("--global-batch, --batch-per-worker or --workers without --speeds")
	case f.speeds != "" && (f.batch != 0 || len(f.where) > 0):
		return nil, errors.New("--batch or --where with --speeds, expected --global-batch or --batch-per-worker")
	case f.model != "" && (f.batch < 1 || len(f.where) > 0):
		return nil, fmt.Errorf("--batch %d with --model, expected at least 1, and no --where", f.batch)
	case f.profile != "" && f.batch != 0:
		return nil, errors.New("--batch without --model: the profile has the batch of each run")
	case !positive(f.samples):
		return nil, fmt.Errorf("--samples %v, expected more than 0 and at most %v", f.samples, float64(most))
	case !positive(f.epochs):
		return nil, fmt.Errorf("--epochs %v, expected more than 0 and at most %v", f.epochs, float64(most))
	case f.within <= 0:
		return nil, fmt.Errorf("--within %v, expected more than 0", f.within)
	}
	prices := stalls.StashPrices()
	if f.prices != "" {
		var err error
		if prices, err = stalls.OpenPrices(f.prices); err != nil {
			return nil, err
		}
	}
	prices, err := f.withGiven(prices)
	if err != nil {
		return nil, err
	}
	offers, err := f.offers(prices)
	if err != nil {
		return nil, err
	}
	r := &recommendation{Offers: policies.Recommend(offers, f.epochs, f.within.Seconds()), within: f.within}
	r.LateS = r.Offers[0].LateS
	r.Feasible = r.LateS == 0
	return r, nil
}

// count returns how many are not empty.
func count(names ...string) int {
	n := 0
	for _, name := range names {
		if name != "" {
			n++
		}
	}
	return n
}

func (f *recommendFlags) offers(prices []stalls.Price) ([]policies.Offer, error) {
	if f.speeds != "" {
		return f.parallel(prices)
	}
	if f.model != "" {
		m, err := calibrate.OpenModel(f.model)
		if err != nil {
			return nil, err
		}
		return f.predicted(m, prices)
	}
	p, err := cli.OpenMeasured(f.profile)
	if err != nil {
		return nil, err
	}
	rows, err := p.Where(f.where)
	if err != nil {
		return nil, err
	}
	return f.measured(p.Name, rows, prices)
}

// measured makes an offer of each row.
func (f *recommendFlags) measured(
	name string, rows []fit.Measurement, prices []stalls.Price,
) ([]policies.Offer, error) {
	var out []policies.Offer
	for i := range rows {
		row := &rows[i]
		price, err := priceOf(prices, row.InstanceType)
		n := max(row.Instances, 1)
		switch {
		case row.GPUs == 0 || row.Batch == 0 || math.IsNaN(row.StepS):
			return nil, fmt.Errorf("%s:%d: expected gpus, batch_per_gpu and step_time_s in each row: choose the rows by --where",
				name, row.Line)
		case err != nil:
			return nil, fmt.Errorf("%s:%d: instance_type: %w", name, row.Line, err)
		case row.GPUs > n*price.GPUs || row.GPU != price.GPU:
			return nil, fmt.Errorf("%s:%d: gpus: %d %s, expected at most the %d %s of %d %s", name, row.Line, row.GPUs,
				row.GPU, n*price.GPUs, price.GPU, n, row.InstanceType)
		case row.Model != rows[0].Model:
			return nil, fmt.Errorf("%s:%d: model: %q after %q, expected one: choose the rows by --where model=NAME", name,
				row.Line, row.Model, rows[0].Model)
		}
		out = append(out, f.offer(row.InstanceType, n, row.GPUs, row.Batch, row.StepS, price.USDPerH))
	}
	return out, nil
}

// predicted makes an offer of each instance type that has the model's GPU.
func (f *recommendFlags) predicted(m *fit.Model, prices []stalls.Price) ([]policies.Offer, error) {
	if err := m.OfInstances(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.model, err)
	}
	var out []policies.Offer
	for _, p := range prices {
		row := fit.Measurement{Model: m.Fixed("model"), GPU: p.GPU, GPUs: p.GPUs, Batch: f.batch}
		if !m.Covers(&row) {
			continue
		}
		step, outside := m.Predict(&row)
		if !(step > 0 && step <= most) {
			return nil, fmt.Errorf("%s: predicts a step of %v s on %s, expected more than 0 and at most %v", f.model, step,
				p.InstanceType, float64(most))
		}
		o := f.offer(p.InstanceType, 1, p.GPUs, f.batch, step, p.USDPerH)
		if outside != "" {
			o.Warning = "predicted outside the fitted range of the model: " + outside
		}
		out = append(out, o)
	}
	if out == nil {
		return nil, fmt.Errorf("%s: fitted on GPU %q, but no instance type of the price list has it", f.model, m.Fixed("gpu"))
	}
	return slices.Clip(out), nil
}

// offer computes the time of an epoch: in a step each GPU takes a mini-batch.
func (f *recommendFlags) offer(instance string, n, gpus, batch int, stepS, usdPerH float64) policies.Offer {
	return policies.Offer{InstanceType: instance, Instances: n, GPUs: gpus, BatchPerGPU: batch,
		EpochS: f.samples / float64(gpus*batch) * stepS, USDPerH: float64(n) * usdPerH}
}

func (r *recommendation) print(w io.Writer) error {
	t := term.NewTable("instances", "GPUs", "batch", "epoch s", "training", "cost USD", "USD/h", "late")
	for _, o := range r.Offers {
		late := ""
		if o.LateS > 0 {
			late = hours(o.LateS)
		}
		t.Row(fmt.Sprintf("%d x %s", o.Instances, o.InstanceType), fmt.Sprint(o.GPUs), fmt.Sprint(o.BatchPerGPU),
			cli.Significant(o.EpochS),
			hours(o.TrainS), format.USD(o.CostUSD), format.USD(o.USDPerH), late)
	}
	if err := t.Print(w); err != nil {
		return err
	}
	best := r.Offers[0]
	if !r.Feasible {
		_, err := fmt.Fprintf(w, "\nnothing meets %v: the fastest, %d x %s, is late by %s\n", r.within,
			best.Instances, best.InstanceType, hours(r.LateS))
		return err
	}
	_, err := fmt.Fprintf(w, "\nthe cheapest within %v: %d x %s for %s USD\n", r.within, best.Instances,
		best.InstanceType, format.USD(best.CostUSD))
	return err
}

func hours(s float64) string { return fmt.Sprintf("%.2f h", s/3600) }
