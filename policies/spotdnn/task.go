package spotdnn

import (
	"math"

	"github.com/marigram/marigram/sim"
)

// SecondsModel is a sim.WorkerModel whose Estimate has a shorter way to its Seconds alone, which is what a search
// compares.
type SecondsModel interface {
	sim.WorkerModel
	// SecondsOf returns Estimate(*t, from, to).Seconds, to the last bit, and true; false if it has no shorter way, or
	// if self is not the receiver: a type that embeds a SecondsModel and has an Estimate of its own is none.
	SecondsOf(self sim.WorkerModel, t *sim.Tally, from, to float64) (seconds float64, known bool)
}

// BoundedModel is a sim.WorkerModel that an exhaustive search can prune.
type BoundedModel interface {
	sim.WorkerModel
	// MinIterations returns numbers such that Estimate says no fewer seconds
	// than iterations/rate - slack for any n workers that make rate mini-batches
	// per second of, on average, between lo and hi samples, and of which none
	// has a larger share of the speed than top. Iterations of 0 are no bound.
	MinIterations(n int, lo, hi, top, from, to float64) (iterations, slack float64)
}

// Task is what to search for: a cluster that trains a model from one loss to
// another within a time.
type Task struct {
	Model    sim.WorkerModel
	From, To float64 // losses; From is +Inf at the start of training
	Seconds  float64 // left for it
	Margin   float64 // over-prediction of contention, see sim.WorkerModel
	Exactly  int     // number of workers, with those that run; 0 searches for it
	// Free, Have and USD are by pool: instances that may be added, instances
	// that already run and are kept, and the price, USD per hour.
	Free, Have []int
	USD        []float64
	// Consider, unless nil, is called with the candidates, for explanations. Window
	// reports for every number of workers the cheapest that meets the objective,
	// else the fastest; Exhaustive each that was the best so far.
	Consider func(c Choice)
}

// Choice is the result of a search. Counts, by pool, include what already runs;
// they are valid until the next search.
type Choice struct {
	sim.Estimate
	Feasible  bool
	Counts    []int
	Workers   int
	Speed     float64 // samples per second
	USD       float64 // for the time that training takes
	Evaluated int     // clusters that were evaluated
	Reason    string  // why it is not feasible
}

// Better reports whether a is the better choice: feasible before not feasible, then
// the cheaper, of two that are not feasible the sooner. Of two that cost the same none is.
func Better(a, b *Choice) bool {
	if a.Feasible != b.Feasible {
		return a.Feasible
	}
	if a.Feasible {
		return a.USD < b.USD*(1-tie)
	}
	return a.Seconds < b.Seconds
}

// sets says what sets of workers do where these do not add up. It is scratch memory.
type sets struct {
	model  sim.MixedModel // nil: they add up
	layout sim.Layout
}

// setModel takes the model of a task.
func (x *sets) setModel(t *Task) { x.model, _ = t.Model.(sim.MixedModel) }

// measure sets the seconds of an estimate to those of a set by pool, and returns what its traffic costs, USD per hour.
func (x *sets) measure(t *Task, counts []int, e *sim.Estimate) (usdPerH float64) {
	layout := &x.layout
	layout.Workers = layout.Workers[:0]
	for _, n := range counts {
		layout.Workers = append(layout.Workers, int32(n))
	}
	rate := x.model.Rate(layout)
	e.Seconds = math.Inf(1)
	if rate.Progress > 0 {
		begin := x.model.Begin(layout)
		if !math.IsInf(t.From, 1) {
			begin = x.model.Goal(t.From)
		}
		e.Seconds = max(x.model.Goal(t.To)-begin, 0) / rate.Progress
	}
	return 3600 * rate.Traffic
}

// addUp adds up so many workers by pool, and their price.
func (t *Task) addUp(counts []int, workers []sim.Worker) (tally sim.Tally, usdPerH float64) {
	for p, n := range counts {
		if n > 0 {
			tally.Add(n, workers[p])
			usdPerH += float64(float64(n) * t.USD[p])
		}
	}
	return tally, usdPerH
}

// measureWorkers writes for each pool what an instance does as one of the fewest with which some pool of those that are
// free or run can train; as one alone if none can.
func (t *Task) measureWorkers(into []sim.Worker) {
	total := 0
	for p := range t.Free {
		total += t.Free[p] + t.Have[p]
	}
	for n := 1; n <= total; n++ {
		t.Model.Workers(n, 0, into)
		for p := range into {
			if t.Free[p]+t.Have[p] > 0 && into[p].Rate > 0 {
				return
			}
		}
	}
	t.Model.Workers(1, 0, into)
}
