package ps

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/sim/steps"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// ChiefLoss is what the loss of the chief does to a job.
type ChiefLoss uint8

// The ways of ChiefLoss.
const (
	ChiefReplaced  ChiefLoss = iota // another worker takes over: CM-DARE (ICDCS 2020)
	ChiefRollsBack                  // all go back to the last save: stock TensorFlow, by the same paper
	ChiefIsMaster                   // the run is lost: "Speeding up Deep Learning with Transient Servers" (ICAC 2019)
)

// ParseChiefLoss reads "replaced", "rolls-back" or "job-lost".
func ParseChiefLoss(s string) (ChiefLoss, error) {
	for i, name := range []string{"replaced", "rolls-back", "job-lost"} {
		if s == name {
			return ChiefLoss(i), nil
		}
	}
	return 0, fmt.Errorf("chief loss %q, expected replaced, rolls-back or job-lost", s)
}

// Synchrony says how workers keep together.
type Synchrony struct {
	Mode      steps.Mode
	Staleness int // SSP, at least 0
	Backups   int // Backup, at least 0
	// Sigma is the standard deviation of the logarithm of the time of a
	// mini-batch (a lognormal distribution about the mean that the base model gives),
	// 0.01 to 2. CM-DARE's single workers have 0.003 to 0.05.
	Sigma float64
	// Exchange is added to each iteration of the modes with a barrier, and
	// ExchangeEach for each worker, seconds.
	Exchange, ExchangeEach float64
	ChiefLoss              ChiefLoss
}

// DefaultSigma is the Sigma where none is known: the upper end of what CM-DARE's
// single workers show.
const DefaultSigma = 0.05

// Check returns what is out of range.
func (y *Synchrony) Check() error {
	switch {
	case y.Staleness < 0 || y.Backups < 0 || y.Backups > maxSpare:
		return fmt.Errorf("staleness %d, backups %d, expected at least 0 and at most 64 backups", y.Staleness,
			y.Backups)
	case !(y.Sigma >= 0.01 && y.Sigma <= 2):
		return fmt.Errorf("sigma %v, expected 0.01 to 2", y.Sigma)
	case !(y.Exchange >= 0) || !(y.ExchangeEach >= 0):
		return fmt.Errorf("exchange %v s and %v s a worker, expected at least 0", y.Exchange, y.ExchangeEach)
	}
	return nil
}

// Distribution returns the distribution of a mini-batch with a mean in seconds.
func (y *Synchrony) Distribution(mean float64) distuv.LogNormal {
	return distuv.LogNormal{Mu: math.Log(mean) - y.Sigma*y.Sigma/2, Sigma: y.Sigma}
}

// group is a number of workers alike, each of which makes rate mini-batches a
// second alone.
type group struct {
	n    int
	rate float64
}

// groups holds the groups of a layout: one a pool, and n at most.
type groups [maxGroups]group

const maxGroups = 64

// waitedFor returns how many of n workers an iteration waits for.
func (y *Synchrony) waitedFor(n int) int {
	if y.Mode == steps.Backup {
		return max(n-y.Backups, min(n, 1))
	}
	return n
}

// Iteration returns the mean time, s, until all but the backups of n workers are
// done, each of which makes rate mini-batches a second alone.
func (y *Synchrony) Iteration(n int, rate float64) float64 {
	return y.iteration([]group{{n, rate}})
}

// iteration returns the mean time until all but the backups are done, by
// quadrature between nine standard deviations.
func (y *Synchrony) iteration(groups []group) float64 {
	workers := 0
	slow := math.Inf(1)
	fast := 0.0
	for _, same := range groups {
		workers += same.n
		slow = min(slow, same.rate)
		fast = max(fast, same.rate)
	}
	spare := workers - y.waitedFor(workers)
	still := Tail(func(t float64) float64 { return y.moreThan(spare, groups, t) })
	wide := math.Exp(9*y.Sigma + y.Sigma*y.Sigma/2)
	return still.Mean(1/fast/wide, wide/slow)
}

// moreThan returns the probability that more than k of the workers still work
// after t seconds: the sum of different binomials, counted until k.
func (y *Synchrony) moreThan(k int, groups []group, t float64) float64 {
	var still [maxSpare + 1]float64 // by number of workers that still work
	still[0] = 1
	for _, same := range groups {
		working := 0.5 * math.Erfc((math.Log(t*same.rate)+y.Sigma*y.Sigma/2)/(y.Sigma*math.Sqrt2))
		if k == 0 {
			still[0] *= math.Pow(1-working, float64(same.n))
			continue
		}
		for range same.n {
			for i := k; i > 0; i-- {
				still[i] = still[i]*(1-working) + still[i-1]*working
			}
			still[0] *= 1 - working
		}
	}
	rest := 1.0
	for _, working := range still[:k+1] {
		rest -= working
	}
	return max(rest, 0)
}

// maxSpare bounds the backups.
const maxSpare = 64

// Tail is a distribution of times by P(X > t), which falls from 1 to 0.
type Tail func(t float64) float64

// The rule of quadrature: panels of equal width in ln t.
const panels = 64

var nodes, weights = func() (x, w [8]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], -1, 1)
	return
}()

// Mean returns E[X], the integral of the tail, where it is 1 below lo and 0 above hi, by Gauss-Legendre quadrature in
// ln t. The relative error is below 1e-9 for smooth tails, 1e-4 for one with a kink.
func (x Tail) Mean(lo, hi float64) float64 {
	from := math.Log(lo)
	half := math.Log(hi/lo) / (2 * panels)
	sum := 0.0
	for panel := range panels {
		mid := from + half*float64(2*panel+1)
		for i := range nodes {
			at := math.Exp(mid + half*nodes[i])
			sum += float64(weights[i] * at * x(at))
		}
	}
	return lo + sum*half
}
