package backtest_test

import (
	"math"
	"time"
)

// Truth is how runs are made. Times are in seconds.
type Truth struct {
	Type      string
	Workers   int     // instances that a run holds; what is taken is replaced
	Steps     float64 // of a run
	LogEvery  float64 // steps between two that are recorded
	Alone     float64 // steps per second of one instance
	Power     float64 // n instances do n^Power times as many
	Spread    float64 // standard deviation of the logarithm of a run's speed
	Boot      Lognormal
	Restart   Lognormal // training stands after a loss, and goes back to the last save
	Save      Lognormal
	SaveEvery float64
	Life      float64   // mean time until an instance is taken
	Wait      Lognormal // from a loss to the grant of another instance
	USDPerH   float64
}

// Lognormal is a distribution of times.
type Lognormal struct{ Median, Sigma float64 }

// Usual is the truth of the tests: 8 instances, about 30,000 s, about 10 losses in a run.
func Usual() Truth {
	return Truth{Type: "p3.2xlarge", Workers: 8, Steps: 60000, LogEvery: 50, Alone: 0.5, Power: 0.9, Spread: 0.03, Boot: Lognormal{120, 0.2},
		Restart: Lognormal{90, 0.3}, Save: Lognormal{12, 0.2}, SaveEvery: 900, Life: 20000, Wait: Lognormal{200, 0.8}, USDPerH: 0.918}
}

// Speed returns the median speed of n instances, steps per second.
func (t *Truth) Speed(n int) float64 { return t.Alone * math.Pow(float64(n), t.Power) }

// Zone is where the instances are.
const Zone = "us-east-1a"

func span(seconds float64) time.Duration { return time.Duration(seconds * 1e9).Round(time.Microsecond) }
