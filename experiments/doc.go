// Package experiments reads specs, runs them and hands the results over: which
// market, which model, which objectives, which policies, and how often.
package experiments
