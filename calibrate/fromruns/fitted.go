package fromruns

import "math"

// Fitted is what the observed runs say.
type Fitted struct {
	Boot Quantity // from the grant of an instance until it is ready itself; Assumed where no record says when one was
	// GangStart is from the grant of an instance until it trains: the first of a run wait until the slowest of them is ready and all is set up.
	// It is what simulations take for the boot, so that they begin to train when the runs did.
	GangStart Quantity
	Restart   Quantity // training stands after a loss
	Resize    Quantity // training stands after instances joined
	Save      Quantity // training stands for a save
	Notice    Quantity // from the announcement of a loss until it comes
	// Least is the number of instances below which the runs did not train.
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

// Spread returns the standard deviation of the logarithm of a run's speed beside what its instances explain, with its degrees of freedom, 0 if
// it is a default.
func (f *Fitted) Spread() (sigma, freedom float64) { return f.speeds.sigma, f.speeds.freedom }

// StepsPerS returns the speed of a row with its interval at a level such as 0.9.
func (f *Fitted) StepsPerS(x *Speed, level float64) (speed, low, high float64) {
	low, high = f.speeds.interval(x, level)
	return math.Exp(x.Log), low, high
}

// RollsBack reports whether a loss takes training back to the last save: whether it did after more than a fifth of the losses.
func (f *Fitted) RollsBack() bool { return 5*f.Rollbacks > f.Losses }
