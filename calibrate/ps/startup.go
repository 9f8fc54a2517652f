package ps

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/marigram/marigram/calibrate/fit"
	"github.com/marigram/marigram/sim"
)

// FitBoot fits the lognormal distribution of boot times by maximum likelihood: the
// logarithm's mean gives the median, its standard deviation (of the population)
// the spread. An error for no sample, or one that is not positive.
func FitBoot(seconds []float64) (sim.Boot, error) {
	if len(seconds) == 0 {
		return sim.Boot{}, fmt.Errorf("no start-up times")
	}
	logs := make([]float64, len(seconds))
	for i, s := range seconds {
		if !(s > 0) || math.IsInf(s, 1) {
			return sim.Boot{}, fmt.Errorf("start-up time %v s, expected more than 0", s)
		}
		logs[i] = math.Log(s)
	}
	mean, sd := stat.PopMeanStdDev(logs, nil)
	return sim.Boot{Median: time.Duration(math.Exp(mean) * float64(time.Second)), Sigma: sd}, nil
}

func init() { fit.Register(startUp) }

// startUp is the distribution of start-up times; its prediction is the median.
var startUp = fit.Family{
	Name:    "start-up",
	Formula: "startup_s is lognormal: its logarithm is normal about log(median)",
	Source: "the distribution of boot times in specs, here by maximum likelihood; samples such as those of " +
		"CM-DARE (ICDCS 2020)",
	Target: "startup_s",
	Same:   []string{"gpu", "region", "market"},
	Parameters: []fit.Parameter{
		{Name: "median", Unit: "s", Doc: "median: half of the instances have started by then"},
		{Name: "spread", Unit: "1", Doc: "standard deviation of the logarithm"},
	},
	Fit: func(rows []fit.Measurement) ([]float64, error) {
		seconds := make([]float64, len(rows))
		for i, r := range rows {
			seconds[i] = r.StartupS
		}
		boot, err := FitBoot(seconds)
		return []float64{boot.Median.Seconds(), boot.Sigma}, err
	},
	Predict: func(x []float64, _ *fit.Measurement) float64 { return x[0] },
}
