package icac19

import (
	"github.com/marigram/marigram/papers/internal/world"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/papers"
)

// icac19Rates are prices, USD per second.
type icac19Rates struct {
	Worker          float64 `json:"worker"`
	ParameterServer float64 `json:"parameter_server"`
	OnDemand        float64 `json:"on_demand"`
}

// usd is the authors' bill of a run: the workers that stayed for as long as it
// trained, those that went for as long as they were up, which begins at their
// creation, and the parameter server.
func (r *icac19Run) usd(seconds, worker, server float64) float64 {
	up := numbers(r.Uptimes)
	usd := (float64(r.Workers-len(up))*worker + server) * seconds
	for _, s := range up {
		usd += worker * s
	}
	return usd
}

// icac19Costs reports how far the authors' bills are from their rule, and for
// how many runs it gives theirs. The bills of two workers leave revocations out:
// they are not part of the largest difference.
func icac19Costs(f *papers.Figure) error {
	var in icac19Rates
	if err := f.Inputs(&in); err != nil {
		return err
	}
	matching, largest := 0, 0.
	for _, r := range facts.Read[icac19Run]("icac19_k80_spot") {
		d := math.Abs(r.usd(r.Seconds, in.Worker, in.ParameterServer) - r.USD)
		if d < 1e-6 {
			matching++
		}
		if r.Workers > 2 || r.Lost == "" {
			largest = max(largest, d)
		}
	}
	f.Report("matching", float64(matching))
	f.Report("largest-difference", largest)
	return nil
}

// icac19Headline reports the speed-up of eight transient workers and the saving
// of four over one on demand, all simulated. The saving is that of the figure:
// the mean of all runs that completed, at the price of the parameter server that
// the costs printed for single runs imply.
func icac19Headline(f *papers.Figure) error {
	var in struct {
		Steps float64     `json:"steps"`
		Rates icac19Rates `json:"usd_per_s"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	law, speed, err := icac19K80Law(in.Steps)
	if err != nil {
		return err
	}
	alone, err := world.TrainFixed(in.Steps, speed, ps.Unlimited(), 1, nil)
	if err != nil {
		return err
	}
	eight, err := world.TrainFixed(in.Steps, speed, law, 8, nil)
	if err != nil {
		return err
	}
	runs := facts.Read[icac19Run]("icac19_k80_spot")
	server := figureServerPrice(runs, in.Rates.Worker)
	sum, n := 0., 0.
	for _, r := range runs {
		if r.Workers != 4 || r.Completed == 0 {
			continue
		}
		s, err := world.TrainFixed(in.Steps, speed, law, r.Workers, numbers(r.Lost))
		if err != nil {
			return err
		}
		sum, n = sum+r.usd(s, in.Rates.Worker, server), n+1
	}
	f.Report("speedup", alone/eight)
	f.Report("saving", 100*(1-sum/n/(alone*in.Rates.OnDemand)))
	return nil
}

// figureServerPrice fits the price of the parameter server, USD/s, to the costs
// that the figures print for single runs, by least squares.
func figureServerPrice(runs []icac19Run, worker float64) float64 {
	xy, xx := 0., 0.
	for _, r := range runs {
		if !math.IsNaN(r.FigureUSD) {
			xy += r.Seconds * (r.FigureUSD - r.usd(r.Seconds, worker, 0))
			xx += r.Seconds * r.Seconds
		}
	}
	return xy / xx
}
