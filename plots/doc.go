// Package plots draws figures. Those of results are drawn from the tables of a study (Drawers): what happened in
// a run over its time (Timeline), what runs cost and when they finished (CostObjective), how long many jobs took
// (CompletionTimes) and where they ran (Placement); Save writes those for which there are rows.
//
//	set, err := results.ReadAll(dir)
//	paths, err := plots.Save(dir, &set)
//
// It also draws traces that were observed: machines and prices of pools over
// time (Capacity, Prices), how long machines live (Survival) and how
// zones go together (CorrelationMap), and how far off forecasts of them are
// (ForecastErrors); SaveFigures writes them.
//
// Of many runs there are the distributions of a number by policy (CDF), differences
// from a baseline (Paired), means by two parameters (HeatMaps) and what no policy can beat (CostBound); Calibration
// and Observed compare with what was measured, and Curves draws formulas. A policy has one style in all of them
// (canvas.StyleOf).
//
// A canvas.Figure is drawn as SVG, PNG or PDF; the same results give the same bytes. Rows
// that cannot be drawn (no rows, numbers that are not finite, spans that
// overlap) are errors.
package plots
