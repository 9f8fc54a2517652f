// Package synth makes traces instead of reading them.
//
// [Synthetic] makes spot markets from a seed, with the statistics of the published
// traces; [DefaultSynthetic] has its calibrated settings. A [Generator] makes them by
// one of the models that [Models] lists: [Standard] returns one with published
// parameters, [Fit] fits one to a recorded trace and says how well it fits, and
// [Check] compares what a generator makes with what was recorded, statistic by
// statistic, each with its tolerance.
package synth
