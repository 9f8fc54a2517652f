package experiments

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"

	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/parallel"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/sim"
)

// BoundRow is what no policy can beat for one objective and seed, beside what the spec's
// policies cost there. Numbers that do not exist are nil.
type BoundRow struct {
	Objective  string   `json:"objective"`
	StartS     float64  `json:"start_s"` // from the beginning of the traces
	Seed       int64    `json:"seed"`
	BoundUSD   *float64 `json:"bound_usd"`   // nil: no policy can meet the objective
	FastestS   *float64 `json:"fastest_s"`   // from the submission
	Lambda     *float64 `json:"lambda"`      // USD that one more unit of progress costs
	PercentUSD *float64 `json:"percent_usd"` // USD that training one percent further costs
	Segments   int      `json:"segments"`    // of constant prices and capacity
	OnSpotUSD  *float64 `json:"on_spot_usd"` // the bound without on demand; nil: no policy can on spot alone
	// WithoutForesightUSD is what Study.WithoutForesight adds: a number of one seed, whose mean over seeds is a lower
	// bound of the expected cost of policies that do not know the future. Of a single seed it says nothing.
	WithoutForesightUSD *float64 `json:"without_foresight_usd,omitempty"`
	// BestKnownUSD is the least cost of a run that met the objective, of the policy BestKnown.
	BestKnownUSD *float64   `json:"best_known_usd"`
	BestKnown    string     `json:"best_known,omitempty"`
	CostUSD      []*float64 `json:"cost_usd"` // by policy of the spec; nil: it did not meet the objective
	// MostWork is the share of the training that no policy exceeds for the budget of an objective of most work, of
	// which the numbers above are nil; Done is what the policies did, by policy of the spec, 0 where one exceeded the
	// budget.
	MostWork *float64  `json:"most_work,omitempty"`
	Done     []float64 `json:"done,omitempty"`
}

// Bounds returns the bounds of all objectives, starts and seeds, in that order, with what the
// policies cost beside them, if they are to be run. Where policies
// have models of their own, a bound is the least of theirs. It is an error where no bound
// is known or holds: the path of the spec's field and the reason.
func (s *Study) Bounds(ctx context.Context, run bool) ([]BoundRow, error) {
	if err := s.Spec.Boundable(); err != nil {
		return nil, err
	}
	points := s.Points()
	rows := make([]BoundRow, len(s.Spec.Objectives)*points)
	err := parallel.Each(ctx, runtime.GOMAXPROCS(0), points, func(_ context.Context, numbers iter.Seq[int]) error {
		w := s.Worker()
		defer w.Close()
		for k := range numbers {
			row := func(o int) *BoundRow { return &rows[o*points+k] }
			if err := guarded(func() error { return w.bounds(s.At(k), run, row) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// bounds fills in the rows of a start and a seed, the Case.Run-th point, by objective.
func (w *Worker) bounds(at Case, run bool, rows func(o int) *BoundRow) error {
	if err := w.enter(at.Seed); err != nil {
		return err
	}
	for o := range w.study.Spec.Objectives {
		objective := &w.study.Spec.Objectives[o]
		row := rows(o)
		row.Objective = objective.Name
		row.StartS = at.Start.Seconds()
		row.Seed = at.Seed
		fill := w.fillBound
		if objective.Kind().ByWork {
			fill = w.fillMostWork
		}
		if err := fill(w.casesOf(at, o), run, row); err != nil {
			return err
		}
	}
	return nil
}

// casesOf returns the runs of an objective at a point, by policy, numbered as Study.Run numbers them.
func (w *Worker) casesOf(at Case, o int) []Case {
	cases := make([]Case, len(w.study.Spec.Policies))
	for p := range cases {
		cases[p] = at
		cases[p].Objective = o
		cases[p].Policy = p
		cases[p].Run = w.study.number(o, p, int(at.Run))
	}
	return cases
}

// fillBound fills in the row of an objective with a deadline: the least of the policies' models.
func (w *Worker) fillBound(cases []Case, run bool, row *BoundRow) error {
	smallest := bound.Bound{USD: math.Inf(1)}
	fastest := math.Inf(1)
	spot := math.Inf(1)
	var own bound.Bound // of the policy's model
	for p, c := range cases {
		if p == 0 || w.models[p] != w.models[p-1] {
			all, onSpot, err := w.bound(c)
			if err != nil {
				return err
			}
			own = all
			fastest = min(fastest, all.Seconds)
			spot = min(spot, onSpot.USD)
			if all.USD <= smallest.USD {
				smallest = all
			}
		}
		if !run {
			continue
		}
		summary, err := w.summaryOf(c)
		if err != nil {
			return err
		}
		if err := against(&own, &c, summary); err != nil {
			return err
		}
		row.add(summary)
	}
	row.BoundUSD = stats.FiniteOrNil(smallest.USD)
	row.FastestS = stats.FiniteOrNil(fastest)
	row.OnSpotUSD = stats.FiniteOrNil(spot)
	row.Segments = smallest.Segments
	if row.BoundUSD != nil {
		row.Lambda = stats.FiniteOrNil(smallest.Lambda)
		row.PercentUSD = stats.FiniteOrNil(smallest.Lambda * smallest.Progress / 100)
	}
	return nil
}

// summaryOf runs a case, for its totals.
func (w *Worker) summaryOf(c Case) (*results.Summary, error) {
	out, err := w.run(c, keeping{})
	if err != nil {
		return nil, fmt.Errorf("policy %s, seed %d: %w", w.study.Spec.Policies[c.Policy].Name, c.Seed, err)
	}
	return &out.summary, nil
}

// fillMostWork fills in the row of an objective of most work. A policy that does more is a defect of the program.
func (w *Worker) fillMostWork(cases []Case, run bool, row *BoundRow) error {
	largest := 0.0
	for p, c := range cases {
		if p == 0 || w.models[p] != w.models[p-1] {
			config, err := w.loaded(c, nil)
			if err != nil {
				return err
			}
			share, err := bound.MostWork(config, *w.study.Spec.Objectives[c.Objective].GoalValue())
			if err != nil {
				return err
			}
			largest = max(largest, share)
		}
		if !run {
			continue
		}
		summary, err := w.summaryOf(c)
		if err != nil {
			return err
		}
		done := 0.0
		if summary.Met {
			done = summary.Progress
		}
		if done > largest*(1+1e-6) {
			return fmt.Errorf("policy %s, seed %d, start %v: %v of the training for the budget, "+
				"above the bound of %v: a defect of the program",
				w.study.Spec.Policies[p].Name, c.Seed, c.Start, done, largest)
		}
		row.Done = append(row.Done, done)
	}
	row.MostWork = &largest
	return nil
}

// bound returns the bound of a case, and that on spot alone.
func (w *Worker) bound(c Case) (all, onSpot bound.Bound, err error) {
	config, err := w.loaded(c, nil)
	if err != nil {
		return all, onSpot, err
	}
	if all, err = bound.Hindsight(config); err == nil {
		onSpot, err = bound.OnSpot(config)
	}
	return all, onSpot, err
}

// warnUnbounded warns where the bound of one job is not known, as of too many sets of instances: the runs go on without
// it.
func (s *Study) warnUnbounded() error {
	if len(s.Spec.Objectives) == 0 {
		return nil
	}
	w := s.Worker()
	c := s.At(0)
	if err := w.enter(c.Seed); err != nil {
		return err
	}
	for p := range s.Spec.Policies {
		c.Policy = p
		config, err := w.loaded(c, nil)
		if err != nil {
			return err
		}
		if err := bound.Known(config); err != nil {
			s.unbound = true
			s.Warnings = append(s.Warnings, "no "+err.Error())
			break
		}
	}
	return nil
}

// hindsight is the bound of the runs of an objective, seed and start on one model.
type hindsight struct {
	c           Case
	model       sim.Model
	all, onSpot bound.Bound
	unknowing   *float64 // what who does not know the future pays; nil where the law is not known
	known       bool
}

// addBound adds the bound of a case to its row.
func (w *Worker) addBound(c Case, r *results.Summary) (err error) {
	if objective.Named(r.Goal).ByWork || w.study.unbound {
		return nil // of most work, marigram bound has what no policy exceeds
	}
	at := Case{Objective: c.Objective, Seed: c.Seed, Start: c.Start}
	if h := &w.last; !h.known || h.c != at || h.model != w.models[c.Policy] {
		h.known = false
		if h.all, h.onSpot, err = w.bound(c); err != nil {
			return err
		}
		if h.unknowing = nil; w.study.Spec.LawKnown() == nil && !math.IsInf(h.all.USD, 1) {
			usd, err := w.withoutForesight(c)
			if err != nil {
				return err
			}
			h.unknowing = stats.FiniteOrNil(usd)
		}
		h.c = at
		h.model = w.models[c.Policy]
		h.known = true
	}
	r.WithoutForesightUSD = w.last.unknowing
	all, onSpot := w.last.all.USD, w.last.onSpot.USD
	r.BoundUSD = &all
	r.BoundSpotUSD = &onSpot
	if err := against(&w.last.all, &c, r); err != nil {
		return err
	}
	if r.Met && all > 0 {
		r.Regret = new(r.CostUSD/all - 1)
	}
	return nil
}

// against is an error where a run contradicts its bound.
func against(b *bound.Bound, c *Case, r *results.Summary) error {
	err := r.CheckAgainst(b)
	if below, is := err.(*results.BelowBound); is {
		below.StartS = c.Start.Seconds()
	}
	return err
}

// add adds the run of a policy.
func (r *BoundRow) add(s *results.Summary) {
	var cost *float64
	if s.Met {
		cost = stats.FiniteOrNil(s.CostUSD)
		if r.BestKnownUSD == nil || *cost < *r.BestKnownUSD {
			r.BestKnownUSD = cost
			r.BestKnown = s.Policy
		}
	}
	r.CostUSD = append(r.CostUSD, cost)
}
