package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/stalls"
	"github.com/marigram/marigram/policies"
)

// parallel makes an offer of each number of workers, of each measured type.
func (f *recommendFlags) parallel(prices []stalls.Price) ([]policies.Offer, error) {
	scaling, batch := parallel.Strong, f.GlobalBatch
	if f.WorkerBatch != 0 {
		scaling, batch = parallel.Weak, f.WorkerBatch
	}
	if (f.GlobalBatch != 0) == (f.WorkerBatch != 0) || !(batch > 0 && batch <= most) {
		return nil, errors.New("--speeds needs the samples of a step: --global-batch (of all workers) or --batch-per-worker")
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
	o := policies.Offer{InstanceType: law.Type, Instances: n, GPUs: n * price.GPUs, BatchPerGPU: int(share / float64(max(price.GPUs, 1))),
		EpochS: f.Samples / (share * float64(n)) * law.Step(n), USDPerH: float64(n) * price.USDPerH}
	switch largest := law.Sizes[len(law.Sizes)-1]; {
	case n > largest:
		o.Warning = fmt.Sprintf("%d workers: extrapolated from %d to %d measured ones", n, law.Sizes[0], largest)
	case n == largest && law.Worst() > doubtful:
		o.Warning = fmt.Sprintf("the fitted time of a step is off by up to %.0f %% (each size predicted from the others)", 100*law.Worst())
	}
	return o
}

// doubtful is the error of a law above which the user is told.
const doubtful = 0.05

// withGiven returns the list of prices with those of --price.
func (f *recommendFlags) withGiven(list []stalls.Price) ([]stalls.Price, error) {
	out := slices.Clone(list)
	for _, name := range slices.Sorted(maps.Keys(f.Price)) {
		usd, err := strconv.ParseFloat(f.Price[name], 64)
		if err != nil || !(usd >= 0 && usd <= 1e5) {
			return nil, fmt.Errorf("--price %s=%s, expected 0 to 100000 USD an hour", name, f.Price[name])
		}
		i := slices.IndexFunc(out, func(p stalls.Price) bool { return p.InstanceType == name })
		if i < 0 {
			i, out = len(out), append(out, stalls.Price{InstanceType: name, GPUs: 1})
		}
		out[i].USDPerH = usd
	}
	return out, nil
}

// priceOf returns the price of a type.
func priceOf(list []stalls.Price, instanceType string) (stalls.Price, error) {
	p, err := stalls.PriceOf(list, instanceType)
	if err != nil {
		return p, fmt.Errorf("%w: give it with --price %s=USD_PER_HOUR, or in a list with --prices", err, instanceType)
	}
	return p, nil
}
