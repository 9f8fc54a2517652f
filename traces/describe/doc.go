// Package describe says what a recorded trace is like.
//
// [Stats] describes a set in the terms of the literature: availability, drop events,
// mean time between preemptions, prices, correlations of zones. [Lifetimes] tells how
// long machines lived, with those censored that were given back or were last seen when
// a gap began, and [KaplanMeier] estimates a survival curve from them. [Observe] and
// [Sample] give the number of machines over time, for figures and forecasts.
//
// A [LifetimeDistribution] says how long machines live when traces are replayed or
// made: [RecordedLifetimes], [Bathtub], [ExponentialLifetime], or any type with the
// same two methods.
package describe
