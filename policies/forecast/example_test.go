package forecast_test

import (
	"fmt"

	"github.com/marigram/marigram/policies/forecast"
)

// How far off is it to expect what is there now, and the mean of what was there?
func ExampleBacktest() {
	counts := []float64{8, 8, 8, 6, 6, 6, 6, 8, 8, 8, 8, 8, 4, 4, 4, 4}
	for _, name := range []string{"persistence", "moving-average"} {
		info, err := forecast.Named(name)
		if err != nil {
			panic(err)
		}
		forecaster := info.New(forecast.Setup{Window: 3, Max: 8})
		for _, e := range forecast.Backtest(forecaster, counts, 3, 2) {
			fmt.Printf("%s, %d ahead: %.2f instances off in the mean of %d windows\n", name, e.Intervals, e.Absolute, e.Windows)
		}
	}
	// Output:
	// persistence, 1 ahead: 0.50 instances off in the mean of 12 windows
	// persistence, 2 ahead: 0.82 instances off in the mean of 11 windows
	// moving-average, 1 ahead: 1.17 instances off in the mean of 12 windows
	// moving-average, 2 ahead: 1.55 instances off in the mean of 11 windows
}
