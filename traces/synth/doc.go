// Package synth makes spot markets from a seed, with the statistics of the published traces: [Synthetic] has their
// settings, and [DefaultSynthetic] the calibrated ones. Its folder workload makes the jobs of a cluster.
package synth
