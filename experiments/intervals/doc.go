// Package intervals says how sure the means and shares of runs are: what the
// statistical unit of runs is, and 95 % confidence intervals that count units. It
// is the one place that does.
package intervals
