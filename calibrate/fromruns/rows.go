package fromruns

import (
	"math"
)

// Row is one fitted number: of model files and of fit.parquet.
type Row struct {
	What     string  `col:"what" json:"what" doc:"speed, boot (from the grant of an instance until it is ready itself, where records say when it was), gang start (from its grant until it trains), restart, resize, save, notice or spread"`
	Type     string  `col:"type" json:"type,omitempty" doc:"instance type, of speeds"`
	Workers  int64   `col:"workers" json:"workers,omitempty" doc:"instances that train together, of speeds"`
	Unit     string  `col:"unit" json:"unit" doc:"of value and interval: steps/s, s, or empty for a share"`
	N        int64   `col:"n" json:"observations" doc:"observations: runs of speeds, else instances or events; 0: value is a default"`
	Value    float64 `col:"value" json:"value" doc:"median"`
	Low90    float64 `col:"low90" json:"low90" doc:"least of the interval of 90 % of the value"`
	High90   float64 `col:"high90" json:"high90" doc:"most of the interval of 90 % of the value"`
	Residual float64 `col:"residual" json:"residual" doc:"standard deviation of the residuals: of the logarithm where all observations are above 0, else in the unit"`
	Log      bool    `col:"logarithmic" json:"logarithmic" doc:"whether residual is of the logarithm"`
}

// Rows returns all fitted numbers.
func (f *Fitted) Rows() []Row {
	var out []Row
	for i := range f.speeds.rows {
		speed := &f.speeds.rows[i]
		stepsPerS, low, high := f.StepsPerS(speed, 0.9)
		square := 0.0
		for _, off := range speed.Rest {
			square += float64(off * off)
		}
		out = append(out, Row{
			What:     "speed",
			Type:     speed.Type,
			Workers:  int64(speed.Workers),
			Unit:     "steps/s",
			N:        int64(speed.Runs),
			Value:    stepsPerS,
			Low90:    low,
			High90:   high,
			Residual: math.Sqrt(square / float64(max(speed.Runs-1, 1))),
			Log:      true,
		})
	}
	spread := Row{What: "spread", Value: f.speeds.sigma, Low90: f.speeds.sigma, High90: f.speeds.sigma, Log: true}
	if f.speeds.freedom > 0 {
		spread.N = int64(len(f.speeds.off))
		spread.Low90, spread.High90 = spreadInterval(f.speeds.sigma, f.speeds.freedom)
	}
	out = append(out, spread)
	for _, quantity := range f.quantities() {
		if quantity.name == boot && quantity.of.assumed {
			continue // nothing was observed, and nothing takes a default of it
		}
		low, high := quantity.of.Interval(0.9)
		out = append(out, Row{
			What:     quantity.name,
			Unit:     "s",
			N:        int64(quantity.of.N),
			Value:    quantity.of.Median(),
			Low90:    low,
			High90:   high,
			Residual: quantity.of.Sigma,
			Log:      quantity.of.Log,
		})
	}
	return out
}

// The names of the two times.
const (
	boot      = "boot"
	gangStart = "gang start"
)

// named is a quantity with its name.
type named struct {
	name string
	of   *Quantity
}

func (f *Fitted) quantities() []named {
	return []named{
		{boot, &f.Boot}, {gangStart, &f.GangStart}, {"restart", &f.Restart},
		{"resize", &f.Resize}, {"save", &f.Save}, {"notice", &f.Notice},
	}
}

// Fitted is what the observed runs say.
type Fitted struct {
	// Boot is from the grant of an instance until it is ready itself; assumed where no record says when one was.
	Boot Quantity
	// GangStart is from the grant of an instance until it trains: the first of a run wait until the slowest of them is
	// ready and all is set up. It is what simulations take for the boot, so that they begin to train when the runs did.
	GangStart Quantity
	Restart   Quantity // training stands after a loss
	Resize    Quantity // training stands after instances joined
	Save      Quantity // training stands for a save
	Notice    Quantity // from the announcement of a loss until it comes
	// Min is the number of instances below which the runs did not train.
	Min int
	// Losses are those after training had begun, Rollbacks those after which steps were done again.
	Losses, Rollbacks int
	Idle              []string // instance types that do not train: parameter servers
	Runs              []string
	Notes             []string // what could not be fitted, and what stands in its place

	speeds speeds
}

// Speeds returns the speeds by type and number of instances.
func (f *Fitted) Speeds() []Speed { return f.speeds.rows }

// Spread returns the standard deviation of the logarithm of a run's speed beside what its instances explain, with its
// degrees of freedom, 0 if it is a default.
func (f *Fitted) Spread() (sigma, freedom float64) { return f.speeds.sigma, f.speeds.freedom }

// StepsPerS returns the speed of a row with its interval at a level such as 0.9.
func (f *Fitted) StepsPerS(x *Speed, level float64) (speed, low, high float64) {
	low, high = f.speeds.interval(x, level)
	return math.Exp(x.Log), low, high
}

// RollsBack reports whether a loss takes training back to the last save: whether it did after more than a fifth of
// the losses.
func (f *Fitted) RollsBack() bool { return 5*f.Rollbacks > f.Losses }
