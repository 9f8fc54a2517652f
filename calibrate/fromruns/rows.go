package fromruns

import "math"

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
		x := &f.speeds.rows[i]
		v, low, high := f.StepsPerS(x, 0.9)
		square := 0.0
		for _, r := range x.Rest {
			square += float64(r * r)
		}
		out = append(out, Row{What: "speed", Type: x.Type, Workers: int64(x.Workers), Unit: "steps/s", N: int64(x.Runs), Value: v, Low90: low, High90: high,
			Residual: math.Sqrt(square / float64(max(x.Runs-1, 1))), Log: true})
	}
	spread := Row{What: "spread", Value: f.speeds.sigma, Low90: f.speeds.sigma, High90: f.speeds.sigma, Log: true}
	if f.speeds.freedom > 0 {
		spread.N = int64(len(f.speeds.off))
		spread.Low90, spread.High90 = spreadInterval(f.speeds.sigma, f.speeds.freedom)
	}
	out = append(out, spread)
	for _, q := range f.quantities() {
		if q.name == boot && q.of.assumed {
			continue // nothing was observed, and nothing takes a default of it
		}
		low, high := q.of.Interval(0.9)
		out = append(out, Row{What: q.name, Unit: "s", N: int64(q.of.N), Value: q.of.Median(), Low90: low, High90: high, Residual: q.of.Sigma, Log: q.of.Log})
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
	return []named{{boot, &f.Boot}, {gangStart, &f.GangStart}, {"restart", &f.Restart}, {"resize", &f.Resize}, {"save", &f.Save}, {"notice", &f.Notice}}
}
