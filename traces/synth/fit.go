package synth

import (
	"fmt"

	"github.com/marigram/marigram/traces"
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
