package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/stats"
)

const (
	searchStep = 0.3 // standard deviation of the first generation, on axes from 0 to 1
	lastOnes   = 20  // that race after a search
	penalty    = 10  // of a share of 0 instead of that asked for, in costs of the spec's own settings
)

// evaluations is the number of points that a search looks at.
func evaluations(axes int) int { return 30 + 20*axes }

// seeker searches ranges by CMA-ES: the least mean cost on a fixed block of seeds, with a
// penalty for a share below that asked for.
type seeker struct {
	*tuning
	ctx   context.Context
	axes  []axis
	known map[string]float64 // what was found, by the candidate's parameters
	order []int              // candidates in the order in which they were first tried
	rho   float64            // USD: penalty of a share that is 1 too low
	best  int                // candidate with the least value
	min   float64            // that value
	err   error
}

// search returns the candidates that are to race: the last different ones that it tried, of
// n, the best one if it is none of these, and the spec's own settings. They were chosen
// on blocks of their own.
func (t *tuning) search(ctx context.Context, axes []axis) (race []int, tried int, err error) {
	s := &seeker{tuning: t, ctx: ctx, axes: axes, known: map[string]float64{}}
	own, _, err := s.measure(0)
	if err != nil {
		return nil, 0, err
	}
	if !stats.Finite(own) {
		return nil, 0, fmt.Errorf("the spec's own settings failed on a seed of the search, so there is nothing to begin with")
	}
	s.rho = penalty * own
	start := make([]float64, len(axes))
	for i := range axes {
		start[i] = axes[i].place()
	}
	method := &optimize.CmaEsChol{InitStepSize: searchStep, Src: rand.NewPCG(uint64(t.blocks.first), 1)}
	_, err = optimize.Minimize(optimize.Problem{Func: s.value, Status: s.status}, start,
		&optimize.Settings{FuncEvaluations: evaluations(len(axes)), Converger: optimize.NeverTerminate{}, Concurrent: 1}, method)
	if s.err != nil {
		return nil, 0, s.err
	}
	if err != nil {
		return nil, 0, fmt.Errorf("search: %w", err)
	}
	race = slices.Clone(s.order[max(len(s.order)-lastOnes, 0):])
	if !slices.Contains(race, s.best) {
		race = append(race, s.best)
	}
	return append(race, 0), len(s.order), nil
}

// errStopped ends a search that cannot go on.
var errStopped = errors.New("stopped")

func (s *seeker) status() (optimize.Status, error) {
	switch {
	case s.err != nil:
		return optimize.Failure, errStopped
	case s.spent():
		return optimize.FunctionEvaluationLimit, nil
	}
	return optimize.NotTerminated, nil
}

// spent reports whether one more candidate would take a search beyond half of all runs.
func (s *seeker) spent() bool {
	largest := s.question.Max
	return largest > 0 && len(s.order) > 0 && s.tuning.runs+int64(s.blocks.search) > largest/2
}

// value is what CMA-ES minimises: its points are reflected into the axes.
func (s *seeker) value(x []float64) float64 {
	if s.err != nil || s.spent() {
		return math.MaxFloat64 / 2
	}
	var c candidate
	for i := range s.axes {
		c = append(c, spec.Setting{Path: s.axes[i].path, Value: s.axes[i].at(reflected(x[i]))})
	}
	text := c.parameters()
	if y, known := s.known[text]; known {
		return y
	}
	k, err := s.field.add([]candidate{c})
	if err != nil {
		s.err = err
		return math.MaxFloat64 / 2
	}
	s.order = append(s.order, k)
	s.stage("search", len(s.order), evaluations(len(s.axes)))
	cost, share, err := s.measure(k)
	s.err = err
	y := cost + s.rho*max(s.question.Share-share, 0)
	if !stats.Finite(y) {
		y = math.MaxFloat64 / 2
	}
	if s.known[text] = y; len(s.order) == 1 || y < s.min {
		s.best, s.min = k, y
	}
	return y
}

// measure runs a candidate on the blocks of the search; a cost of NaN: a run failed.
func (s *seeker) measure(k int) (usd, share float64, err error) {
	chunks, err := s.run(s.ctx, []request{{[]int{k}, searching, 0, s.blocks.search}})
	if err != nil {
		return 0, 0, err
	}
	all := outcomes(chunks, k)
	n := float64(len(all))
	for _, x := range all {
		if x.Failed {
			return math.NaN(), 0, nil
		}
		usd += x.USD / n
		if x.Met {
			share += 1 / n
		}
	}
	return usd, share, nil
}

// reflected folds the real line into 0 to 1.
func reflected(x float64) float64 {
	x = math.Abs(math.Remainder(x, 2)) // -1 to 1
	return min(x, 1)
}
