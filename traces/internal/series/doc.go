// Package series has the rows of a set as functions of time: steps, spans of constant
// value without gaps, rows by pool and in order.
package series
