// Package plots draws results: what happened in a run over its time (Timeline),
// and what runs cost and when they finished (CostObjective).
//
//	set, err := results.ReadAll(dir)
//	paths, err := plots.Save(dir, set.Summaries, set.Spans)
//
// It also draws histories that were observed: machines and prices of pools over
// time (Capacity, Prices), how long machines live (Survival) and how
// zones go together (CorrelationMap), and how far off forecasts of them are
// (ForecastErrors); SaveFigures writes them.
//
// Of many runs there are the distributions of a number by policy (CDF), differences
// from a baseline (Paired) and means by two parameters (HeatMaps); Calibration is for
// what a model predicts. A policy looks the same in all of them (canvas.LookOf).
//
// A canvas.Figure is drawn as SVG, PNG or PDF; the same results give the same bytes. Rows
// that cannot be drawn (no rows, numbers that are not finite, spans that
// overlap) are errors.
package plots
