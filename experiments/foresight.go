package experiments

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"time"

	"github.com/marigram/marigram/experiments/bound"
	"github.com/marigram/marigram/internal/parallel"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/policies/mdp"
)

// Futures of a law are numbered by the seeds; the course that plans are made by has a seed of its own, made of that.
const (
	sampleSeed = 0x9e3779b97f4a7c15
	sampleSpan = 200 * time.Hour
)

// WithoutForesight adds to the rows of Bounds what a policy that does not know the future pays at least, in expectation
// (BoundRow.WithoutForesightUSD). It is an error where the law of the market is not known: the path of the spec's field
// and the reason.
func (s *Study) WithoutForesight(ctx context.Context, rows []BoundRow) error {
	if err := s.Spec.LawKnown(); err != nil {
		return err
	}
	points := s.Points()
	for i := range rows {
		if rows[i].BoundUSD == nil {
			return s.Spec.ErrorAt(fmt.Sprintf("$.objectives[%d]", i/points),
				"with seed %d no policy can meet it, so none meets it always: there is no bound without foresight",
				rows[i].Seed)
		}
	}
	return parallel.Each(ctx, runtime.GOMAXPROCS(0), points, func(_ context.Context, numbers iter.Seq[int]) error {
		w := s.Worker()
		defer w.Close()
		for k := range numbers {
			for o := range s.Spec.Objectives {
				if err := w.fillWithoutForesight(s.At(k), o, &rows[o*points+k]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// fillWithoutForesight fills in a row: the least of the policies' models.
func (w *Worker) fillWithoutForesight(c Case, o int, row *BoundRow) error {
	if err := w.enter(c.Seed); err != nil {
		return err
	}
	lowest := math.Inf(1)
	for p := range w.study.Spec.Policies {
		if p > 0 && w.models[p] == w.models[p-1] {
			continue
		}
		c.Objective = o
		c.Policy = p
		usd, err := w.withoutForesight(c)
		if err != nil {
			return err
		}
		lowest = min(lowest, usd)
	}
	row.WithoutForesightUSD = stats.FiniteOrNil(lowest)
	return nil
}

// withoutForesight is bound.WithoutForesight of a case of the worker's seed.
func (w *Worker) withoutForesight(c Case) (usd float64, err error) {
	config, err := w.loaded(c, nil)
	if err != nil {
		return 0, err
	}
	law, err := w.law()
	if err != nil {
		return 0, err
	}
	return bound.WithoutForesight(config, law, plan)
}

// law is that of the worker's market, and its future.
func (w *Worker) law() (law bound.Law, err error) {
	m := w.study.Markets
	future, err := m.Course(uint64(w.seed), 0, w.study.Spec.Horizon(), w.market)
	if err != nil {
		return law, err
	}
	sample, err := m.Course(uint64(w.seed), uint64(w.seed)^sampleSeed, sampleSpan, w.market)
	return bound.Law{Future: future, Sample: sample}, err
}

// planSteps is the number of steps of time in which policy mdp's programme plans for the bound.
const planSteps = 120

// plan has the programme of the policy mdp work out values.
func plan(regimes []bound.Regime, work, seconds, boot float64) bound.Values {
	list := make([]mdp.Regime, len(regimes))
	for i, r := range regimes {
		list[i] = mdp.Regime{Clusters: []mdp.Cluster{{}}, Next: r.Next}
		for _, c := range r.Clusters {
			list[i].Clusters = append(list[i].Clusters, mdp.Cluster{Rate: c[0], USD: c[1]})
		}
	}
	return mdp.NewValues(list, work, seconds, planSteps, boot)
}
