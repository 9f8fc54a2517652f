package synth

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/internal/series"
)

// Fit fits a model to a trace and measures how well what it makes agrees with
// it (see Check). The measurement is on the trace of the fit: it says whether
// the model can be like that trace, not whether it foretells another.
func Fit(model string, s *traces.Set, opt FitOptions) (*Generator, error) {
	l, err := models.Named(model)
	if err != nil {
		return nil, err
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	if l.fit == nil {
		return nil, fmt.Errorf("the model %s cannot be fitted", model)
	}
	h := newTrace(s)
	if len(s.Pools) == 0 || h.span() < 1 {
		return nil, fmt.Errorf("fit of the model %s: the trace is empty", model)
	}
	g := &Generator{Version: generatorVersion, Model: model, Pools: generatorPools(h), Trace: traceOf(s)}
	if model == priceEntry.name {
		dropMachines(g.Pools)
	}
	if g.Parameters, err = l.fit(h, opt); err != nil {
		return nil, fmt.Errorf("fit of the model %s to %s: %w", model, s.Manifest.TraceID, err)
	}
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("fit of the model %s to %s: %w", model, s.Manifest.TraceID, err)
	}
	table, err := Check(g, s, opt.seeds())
	if err != nil {
		return nil, err
	}
	g.Fit = &table
	return g, nil
}

func traceOf(s *traces.Set) *Trace {
	m := &s.Manifest
	return &Trace{
		TraceID: m.TraceID, SHA256: setDigest(s), Semantics: m.Semantics,
		Hours: float64(m.TEndUs-m.TStartUs) / series.HourUs, Licence: m.Source.Licence, Files: m.Source.Files,
	}
}

// Check makes as many traces as seeds says, from seed 1 on, each as long as
// the recorded one, and compares. Rates and distributions are of all of them
// together, so that short traces do not bias them; pools count by the hours
// for which the recorded ones were known. seeds is at least 1.
func Check(g *Generator, recorded *traces.Set, seeds int) (Table, error) {
	if seeds < 1 || seeds > 10_000 {
		return Table{}, fmt.Errorf("check on %d seeds, expected 1 to 10000", seeds)
	}
	span := recorded.Manifest.TEndUs - recorded.Manifest.TStartUs
	if span < 1 {
		return Table{}, fmt.Errorf("check against %s: the trace is empty", recorded.Manifest.TraceID)
	}
	t := Table{Model: g.Model, TraceID: recorded.Manifest.TraceID, SHA256: setDigest(recorded), Seeds: seeds,
		Hours: float64(span) / series.HourUs}
	have := measureSet(recorded)
	have.curve = have.lifetimes.Survival()
	weights := have.weights(g.Pools)
	if have.own = weights != nil; !have.own {
		t.Notes = append(t.Notes, "the pools differ from those of the trace: they are compared without matching names")
	}
	var all evidence
	values := make([]map[statistic]float64, 0, seeds)
	for seed := 1; seed <= seeds; seed++ {
		m, err := g.making(uint64(seed), time.Duration(span)*time.Microsecond)
		if err != nil {
			return Table{}, err
		}
		one := measure(m.trace(), weights)
		values = append(values, one.values(&have))
		if seed == 1 {
			all.lifetimes = make(describe.Ages, 0, valuesOf(len(one.lifetimes), seeds))
			all.steps = make([]float64, 0, valuesOf(len(one.steps), seeds))
		}
		one.intervals = one.intervals.coarse(have.intervals)
		all.add(one)
	}
	t.fill(have.values(&have), all.values(&have), values)
	return t, nil
}

// valuesOf is how many values several seeds will have, of which one has n, and a tenth more.
func valuesOf(one, seeds int) int { return one * seeds * 11 / 10 }
