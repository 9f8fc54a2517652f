// Package experiments runs studies. A spec (package spec) says which market, model,
// objectives and policies; package market makes the markets; a Study runs every
// objective under every policy and seed and returns the rows of package results:
//
//	s, err := spec.Open("quickstart")  // a file, or a spec that comes with marigram
//	study, err := experiments.NewStudy(s)
//	set, err := study.Run(ctx)         // all runs, on all cores
//	for _, a := range experiments.Aggregates(set.Summaries) { ... }
//
// Start with Study. A Worker runs single cases; package sweep runs grids of them,
// package claims compares published numbers with ours.
//
// A row of summary.parquet is filled in summary.go, timelines in recorder.go.
package experiments
