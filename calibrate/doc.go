// Package calibrate is the door to models of training that come from
// measurements: which families of models there are, and model files.
//
// Where to start, by what you have:
//
//   - runs that you measured, one a row: package fit reads them
//     (PROFILES.md has the columns), fits a family to them and writes a model file.
//     Families are in packages gpu (a step and its memory on one kind of GPU), ps
//     (parameter servers) and stalls (data and links), and may be your own: fit.Register.
//   - a profile of instance types, with spotDNN's coefficients: package ps makes a
//     sim.Model of training with parameter servers from it (ps.NewASP), or, of any
//     synchronisation, ps.NewSynchronised.
//   - step times at two or three sizes of a synchronous data-parallel job: package
//     parallel makes a sim.Model from them (parallel.New).
//   - throughputs by layout, or layers of a network: package pipeline makes a
//     sim.Model of pipelines (pipeline.New), with live migration as Parcae's
//     (pipeline.NewMigrating).
//   - a folder that profiler/profiler.py wrote on a GPU: package stalls sums it up.
//   - a fixed cluster and its users: package queueing has waits and costs.
//
// Published numbers with their sources are in packages facts (tables) and profiles
// (runs and instance types). What each model leaves out, with its measured size, is
// in DEVIATIONS.md.
package calibrate
