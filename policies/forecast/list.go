package forecast

import (
	"fmt"
	"strings"
)

// Info describes a forecaster.
type Info struct {
	Name   string
	Doc    string // one line
	Oracle bool   // it knows the future: a bound, not a choice
	New    func(Setup) Forecaster
}

// List returns the forecasters in the order in which they are shown.
func List() []Info {
	return []Info{
		{"persistence", "the present count stays", false,
			func(Setup) Forecaster { return persistence{} }},
		{"moving-average", "the mean of the window", false,
			func(s Setup) Forecaster { return movingAverage{s.Window} }},
		// Brown, Statistical Forecasting for Inventory Control, 1959.
		{"smoothing", "exponential smoothing, with its weight fitted to the window", false,
			func(s Setup) Forecaster { return &smoothing{Window: s.Window} }},
		arima(1, 0, 0, true),
		arima(0, 1, 1, false),
		arima(1, 1, 0, false),
		arima(1, 1, 0, true),
		arima(1, 1, 1, false),
		// Parcae (NSDI 2024), its public code.
		{"parcae", "Parcae's guarded ARIMA(1,1,0) with drift", false,
			func(s Setup) Forecaster { return parcae(s, false) }},
		{"parcae-sticky", "the same with permanent penalties, as in the public code", false,
			func(s Setup) Forecaster { return parcae(s, true) }},
		{"oracle", "the true future counts", true,
			func(s Setup) Forecaster { return truth{s.Truth} }},
	}
}

// Named returns the forecaster of a name: one of List, or an ARIMA model such as
// arima-2-1-1 or arima-2-1-1-drift.
func Named(name string) (Info, error) {
	all := List()
	for _, info := range all {
		if info.Name == name {
			return info, nil
		}
	}
	var p, d, q int
	n, _ := fmt.Sscanf(name, "arima-%d-%d-%d", &p, &d, &q)
	if n == 3 {
		for _, drift := range []bool{false, true} {
			if info := arima(p, d, q, drift); info.Name == name && orders(p, d, q) {
				return info, nil
			}
		}
	}
	names := make([]string, len(all))
	for k, info := range all {
		names[k] = info.Name
	}
	return Info{}, fmt.Errorf("no forecaster %q, want one of %s, or arima-P-D-Q or arima-P-D-Q-drift with P "+
		"and Q 0 to %d, D 0 to %d",
		name, strings.Join(names, ", "), maxOrder, maxDifferences)
}

// arima describes a model of the family (Box and Jenkins, Time Series Analysis, 1970).
func arima(p, d, q int, drift bool) Info {
	name := fmt.Sprintf("arima-%d-%d-%d", p, d, q)
	doc := fmt.Sprintf("ARIMA(%d,%d,%d) fitted to the window", p, d, q)
	if drift {
		name += "-drift"
	}
	if drift && d > 0 {
		doc += ", with drift"
	} else if drift {
		doc += ", around a mean"
	}
	return Info{name, doc, false,
		func(s Setup) Forecaster { return &ARIMA{P: p, D: d, Q: q, Drift: drift, Window: s.Window} }}
}

func parcae(s Setup, sticky bool) *Parcae {
	return &Parcae{Window: s.Window, Growth: 3, Min: s.Min, Max: s.Max, Sticky: sticky}
}
