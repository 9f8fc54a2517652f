// Package fit fits families of models to measured runs.
//
// ReadMeasured reads a profile of runs, Fit fits a family to its rows and returns a
// Model: parameters with units, the range in which it was fitted, residuals by row,
// and what it was made of. A Model predicts other runs (Predict, PredictOf), says
// how far off it is for them (Check) and for what it was not fitted on (LeaveOut),
// and is written as JSON, a model file, which ReadModel reads.
//
// A Family is a formula with its source, how it is fitted and what it predicts.
// Families register themselves (Register) in init functions; those that come with
// marigram are in packages gpu, ps and stalls, and package calibrate imports them all.
// LinearFamily makes families of sums of terms, LeastSquares fits any other.
package fit
