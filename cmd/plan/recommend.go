package plan

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate"
	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/stalls"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies"
)

// recommendFlags are the inputs of one recommendation.
type recommendFlags struct {
	Profile     string            `flag:"profile" help:"CSV <file> of measured runs, one configuration per row"`
	Where       []string          `flag:"where" help:"only rows of the profile with this <column=value>; may be repeated"`
	Model       string            `flag:"model" help:"model <file> of marigram calibrate fit, instead of the profile"`
	Batch       int               `flag:"batch" help:"mini-batch of one GPU, with --model"`
	Speeds      string            `flag:"speeds" help:"CSV <file> of data-parallel speeds, instead of the profile"`
	GlobalBatch float64           `flag:"global-batch" with:"speeds" help:"samples of a step of all workers, with --speeds"`
	WorkerBatch float64           `flag:"batch-per-worker" with:"speeds" help:"samples of a step of one worker, with --speeds"`
	Workers     int               `flag:"workers" with:"speeds" min:"1" max:"4096" help:"try up to this number of <workers>; by default as many as were measured"`
	Price       map[string]string `flag:"price" help:"<type=USD> an hour of an instance type, before the list; may be repeated"`
	Prices      string            `flag:"prices" help:"CSV <file>: instance_type, gpu, gpus, usd_per_h"`
	// Samples, with the epochs, have a finite product.
	Samples float64       `flag:"samples" required:"true" above:"0" max:"1e+15" help:"samples in an epoch"`
	Epochs  float64       `flag:"epochs" default:"1" above:"0" max:"1e+15" help:"epochs to train"`
	Within  time.Duration `flag:"within" required:"true" above:"0" help:"time budget, with its unit: 90m, 48h"`
	cli.Answer
}

// largest is more seconds of a step and samples of one than anybody has.
const largest = 1e15

func recommendCommand() *cobra.Command {
	var f recommendFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "recommend",
		Short: "Rank instances by the cost of a training job within a time budget",
		Long: `Ranks instances: those within the time budget by cost, then the others by how late
they are. Speeds are measured (a profile of runs with an instance_type in each row), or
predicted for each instance type of the price list that has the GPU of a model file, or
fitted to a few measured sizes of data-parallel training (--speeds: a CSV file with the
columns type, workers and steps_per_s or samples_per_s; two or three sizes suffice; a
worker is an instance with all its GPUs).
Prices are on-demand: those of Stash (ICDCS 2023), unless a list is given. If nothing
meets the time budget, it says by how much; the exit status is 0.`,
		Example: `  marigram calibrate fit gavel-resnet50 --as data-parallel --where gpu=V100 -o v100.json
  marigram plan recommend --model v100.json --batch 64 --samples 1281167 --epochs 90 --within 48h
  marigram plan recommend --profile runs.csv --prices prices.csv --samples 50000 --epochs 200 --within 2h --json
  marigram plan recommend --speeds speeds.csv --global-batch 512 --price p3.2xlarge=3.06 \
    --samples 1281167 --within 10h`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer, err := f.recommend()
			if err != nil {
				return err
			}
			for _, offer := range answer.Offers {
				if offer.Warning != "" {
					term.Warn(cmd.ErrOrStderr(), "%s: %s", offer.InstanceType, offer.Warning)
				}
			}
			return f.Give(cmd, answer, answer.print)
		},
	}, &f)
}

// recommendation is the answer, with the names of its JSON form.
type recommendation struct {
	Feasible bool                   `json:"feasible"`
	LateS    float64                `json:"late_s"` // of the fastest; 0 if feasible
	Offers   []policies.Recommended `json:"offers"` // best first

	within time.Duration
}

func (f *recommendFlags) recommend() (*recommendation, error) {
	switch {
	case count(f.Profile, f.Model, f.Speeds) != 1:
		return nil, errors.New("expected one of --profile, --model and --speeds")
	case f.Speeds != "" && (f.Batch != 0 || len(f.Where) > 0):
		return nil, errors.New("--batch or --where with --speeds, expected --global-batch or --batch-per-worker")
	case f.Model != "" && (f.Batch < 1 || len(f.Where) > 0):
		return nil, fmt.Errorf("--batch %d with --model, expected at least 1, and no --where", f.Batch)
	case f.Profile != "" && f.Batch != 0:
		return nil, errors.New("--batch without --model: the profile has the batch of each run")
	}
	prices := stalls.StashPrices()
	if f.Prices != "" {
		var err error
		if prices, err = stalls.OpenPrices(f.Prices); err != nil {
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
	ranked := policies.Recommend(offers, f.Epochs, f.Within.Seconds())
	lateS := ranked[0].LateS
	return &recommendation{Feasible: lateS == 0, LateS: lateS, Offers: ranked, within: f.Within}, nil
}

// count returns how many are not empty.
func count(names ...string) int {
	return len(slices.DeleteFunc(names, func(name string) bool { return name == "" }))
}

func (f *recommendFlags) offers(prices []stalls.Price) ([]policies.Offer, error) {
	if f.Speeds != "" {
		return f.parallel(prices)
	}
	if f.Model != "" {
		model, err := calibrate.OpenModel(f.Model)
		if err != nil {
			return nil, err
		}
		return f.predicted(model, prices)
	}
	profile, err := cli.OpenMeasured(f.Profile)
	if err != nil {
		return nil, err
	}
	rows, err := profile.Where(f.Where)
	if err != nil {
		return nil, err
	}
	return f.measured(profile.Name, rows, prices)
}

// measured makes an offer of each row.
func (f *recommendFlags) measured(
	name string, rows []fit.Measurement, prices []stalls.Price,
) ([]policies.Offer, error) {
	var out []policies.Offer
	for i := range rows {
		row := &rows[i]
		price, err := priceOf(prices, row.InstanceType)
		instances := max(row.Instances, 1)
		switch {
		case row.GPUs == 0 || row.Batch == 0 || math.IsNaN(row.StepS):
			return nil, fmt.Errorf("%s:%d: expected gpus, batch_per_gpu and step_time_s in each row: "+
				"choose the rows by --where", name, row.Line)
		case err != nil:
			return nil, fmt.Errorf("%s:%d: instance_type: %w", name, row.Line, err)
		case price.GPUs > 0 && (row.GPUs > instances*price.GPUs || row.GPU != price.GPU):
			return nil, fmt.Errorf("%s:%d: gpus: %d %s, expected at most the %d %s of %d %s", name, row.Line, row.GPUs,
				row.GPU, instances*price.GPUs, price.GPU, instances, row.InstanceType)
		case row.Model != rows[0].Model:
			return nil, fmt.Errorf("%s:%d: model: %q after %q, expected one: choose the rows by --where model=NAME",
				name, row.Line, row.Model, rows[0].Model)
		}
		out = append(out, f.offer(row.InstanceType, instances, row.GPUs, row.Batch, row.StepS, price.USDPerH))
	}
	return out, nil
}

// predicted makes an offer of each instance type that has the model's GPU.
func (f *recommendFlags) predicted(m *fit.Model, prices []stalls.Price) ([]policies.Offer, error) {
	if err := m.OfInstances(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Model, err)
	}
	var out []policies.Offer
	for _, p := range prices {
		if p.GPUs == 0 {
			return nil, fmt.Errorf("--price %s=%v: %s", p.InstanceType, p.USDPerH, unknownGPUs)
		}
		row := fit.Measurement{Model: m.Fixed("model"), GPU: p.GPU, GPUs: p.GPUs, Batch: f.Batch}
		if !m.Covers(&row) {
			continue
		}
		step, outside := m.Predict(&row)
		if !(step > 0 && step <= largest) {
			return nil, fmt.Errorf("%s: predicts a step of %v s on %s, expected more than 0 and at most %v",
				f.Model, step, p.InstanceType, float64(largest))
		}
		offer := f.offer(p.InstanceType, 1, p.GPUs, f.Batch, step, p.USDPerH)
		if outside != "" {
			offer.Warning = "predicted outside the fitted range of the model: " + outside
		}
		out = append(out, offer)
	}
	if out == nil {
		return nil, fmt.Errorf("%s: fitted on GPU %q, but no instance type of the price list has it",
			f.Model, m.Fixed("gpu"))
	}
	return slices.Clip(out), nil
}

// offer computes the time of an epoch: in a step each GPU takes a mini-batch.
func (f *recommendFlags) offer(instance string, n, gpus, batch int, stepS, usdPerH float64) policies.Offer {
	return policies.Offer{InstanceType: instance, Instances: n, GPUs: gpus, BatchPerGPU: batch,
		EpochS: f.Samples / float64(gpus*batch) * stepS, USDPerH: float64(n) * usdPerH}
}

func (r *recommendation) print(w io.Writer) {
	shown := table.New("instances", "GPUs", "batch", "epoch s", "training", "cost USD|usd", "USD/h|usd", "late")
	for _, o := range r.Offers {
		late := ""
		if o.LateS > 0 {
			late = hours(o.LateS)
		}
		var gpus, batch any = o.GPUs, o.BatchPerGPU
		if o.GPUs == 0 { // not known
			gpus = ""
			batch = ""
		}
		instances := fmt.Sprintf("%d x %s", o.Instances, o.InstanceType)
		shown.Row(instances, gpus, batch, o.EpochS, hours(o.TrainS), o.CostUSD, o.USDPerH, late)
	}
	term.Print(w, shown)
	best := r.Offers[0]
	if r.Feasible {
		fmt.Fprintf(w, "\nthe cheapest within %v: %d x %s for %s USD\n",
			r.within, best.Instances, best.InstanceType, units.USD(best.CostUSD))
	} else {
		fmt.Fprintf(w, "\nnothing meets %v: the fastest, %d x %s, is late by %s\n",
			r.within, best.Instances, best.InstanceType, hours(r.LateS))
	}
}

func hours(s float64) string { return fmt.Sprintf("%.2f h", s/3600) }

// parallel makes an offer of each number of workers, of each measured type.
func (f *recommendFlags) parallel(prices []stalls.Price) ([]policies.Offer, error) {
	scaling := parallel.Strong
	batch := f.GlobalBatch
	if f.WorkerBatch != 0 {
		scaling = parallel.Weak
		batch = f.WorkerBatch
	}
	if (f.GlobalBatch != 0) == (f.WorkerBatch != 0) || !(batch > 0 && batch <= largest) {
		return nil, errors.New("--speeds needs the samples of a step: " +
			"--global-batch (of all workers) or --batch-per-worker")
	}
	rows, err := parallel.OpenMeasured(f.Speeds)
	if err != nil {
		return nil, err
	}
	fitted, err := parallel.Fit(scaling, batch, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Speeds, err)
	}
	var out []policies.Offer
	for i := range fitted {
		law := &fitted[i]
		price, err := priceOf(prices, law.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Speeds, err)
		}
		for n := law.Sizes[0]; n <= max(f.Workers, law.Sizes[len(law.Sizes)-1]); n++ {
			out = append(out, f.workersOffer(law, n, batch, price))
		}
	}
	return out, nil
}

// workersOffer is the offer of n workers of a fitted type.
func (f *recommendFlags) workersOffer(law *parallel.Fitted, n int, batch float64, price stalls.Price) policies.Offer {
	share := batch / float64(n)
	if law.Scaling == parallel.Weak {
		share = batch
	}
	offer := policies.Offer{
		InstanceType: law.Type,
		Instances:    n,
		GPUs:         n * price.GPUs,
		EpochS:       f.Samples / (share * float64(n)) * law.Step(n),
		USDPerH:      float64(n) * price.USDPerH,
	}
	var warnings []string
	if price.GPUs > 0 {
		offer.BatchPerGPU = int(share / float64(price.GPUs))
	} else if n == law.Sizes[0] { // once a type
		warnings = append(warnings, unknownGPUs)
	}
	most := law.Sizes[len(law.Sizes)-1]
	if n > most {
		warnings = append(warnings, fmt.Sprintf("%d workers: extrapolated from %d to %d measured ones",
			n, law.Sizes[0], most))
	} else if n == most && law.Worst() > doubtful {
		warnings = append(warnings, fmt.Sprintf("the fitted time of a step is off by up to %.0f %% "+
			"(each size predicted from the others)", 100*law.Worst()))
	}
	offer.Warning = strings.Join(warnings, "; ")
	return offer
}

// unknownGPUs says what to do about a type of --price that no list has.
const unknownGPUs = "no list says how many GPUs it has: name them and its price in a list " +
	"(--prices FILE.csv with the columns instance_type, gpu, gpus and usd_per_h)"

// doubtful is the error of a law above which the user is told.
const doubtful = 0.05

// withGiven returns the list of prices with those of --price. A type that no list has has 0 GPUs.
func (f *recommendFlags) withGiven(list []stalls.Price) ([]stalls.Price, error) {
	out := slices.Clone(list)
	for _, name := range slices.Sorted(maps.Keys(f.Price)) {
		usd, err := strconv.ParseFloat(f.Price[name], 64)
		if err != nil || !(usd >= 0 && usd <= 1e5) {
			return nil, fmt.Errorf("--price %s=%s, expected 0 to 100000 USD an hour", name, f.Price[name])
		}
		at := slices.IndexFunc(out, func(p stalls.Price) bool { return p.InstanceType == name })
		if at < 0 {
			at = len(out)
			out = append(out, stalls.ListedType(name))
		}
		out[at].USDPerH = usd
	}
	return out, nil
}

// priceOf returns the price of a type.
func priceOf(list []stalls.Price, instanceType string) (stalls.Price, error) {
	price, err := stalls.PriceOf(list, instanceType)
	if err != nil {
		return price, fmt.Errorf("%w: give it with --price %s=USD_PER_HOUR, or in a list with --prices",
			err, instanceType)
	}
	return price, nil
}
