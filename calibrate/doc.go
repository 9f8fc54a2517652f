// Package calibrate turns GPU profiles and published coefficients into models
// that package sim runs. One model family a file: formula, source and fit.
//
// What each model leaves out, with its measured size, is in DEVIATIONS.md.
package calibrate
