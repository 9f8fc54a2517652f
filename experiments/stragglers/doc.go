// Package stragglers says why recorded steps of a training job take longer than they need: the exact what-if analysis
// of Lin et al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI 2025 (arXiv
// 2505.05713), of operations in the form that its authors published (github.com/ByteDance-Seed/StragglerAnalysis,
// 8efcd7f).
//
// A recorded step is a graph of operations. The step is simulated with the recorded times of all of them (the original)
// and with each at the mean (computing) or median (communication) of its type over all workers and steps (the ideal).
// S is the original over the ideal. In other simulations some operations keep their time, or are made ideal, and
// say what the type, the rank, the stage or the worker costs.
//
//	job, err := stragglers.Read(ctx, "trace.parquet", "job.yaml")
//	analysis, err := job.Analyse()
//
// S compares with the same slowness spread evenly over all workers, not with a healthy job: the ideal is a mean over
// the slow ones too. Replaced compares with one.
package stragglers
