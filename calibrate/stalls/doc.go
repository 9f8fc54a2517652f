// Package stalls says what GPUs wait for: the exchange of gradients, preparation of
// data and the disk, from the differential runs of Stash (ICDCS 2023) and
// DS-Analyzer (VLDB 2021). It sums up folders that calibrate/profiler measured
// (OpenSummaries), and has the prices with which Stash recommends an instance type.
// Importing the package registers the family stall-layers.
package stalls
