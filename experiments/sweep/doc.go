// Package sweep runs many runs: the cells of a grid of parameters, each from many
// starts in a trace and under many seeds.
//
// A sweep is a plan (cells, starts, seeds, all numbered, and a hash of everything
// that its results depend on), cut into chunks of a fixed number of runs. Who runs
// a chunk, when, and beside how many others does not change a byte of it. A chunk
// is a Parquet file that appears under its name when it is complete; what is there
// is checked and not made again, so that a sweep that was stopped, by whatever,
// goes on where it was. Folder:
//
//	plan.json                        the plan
//	plan=HASH12/part-000000.parquet  a chunk
//	plan=HASH12/timings/*.csv        wall-clock facts, one file a process
package sweep
