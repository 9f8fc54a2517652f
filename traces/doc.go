// Package traces is the neutral form of recorded traces of spot markets: one
// [Set] holds what a trace says, whoever recorded it.
//
// A Set is a manifest (where the trace came from, whose clock it uses, what an
// observation means), the pools, and tables of rows: prices, capacity counts, launch
// probes, events of single machines, jobs, and gaps in which nothing is
// known. In memory it is slices of rows; on disk it is a folder of Parquet files with
// the same columns ([Set.Write], [Read], FORMATS.md).
//
// Instants are microseconds UTC since 1970-01-01; a trace that only counts from its
// own beginning has its beginning there (the manifest's clock_kind says so). Money is
// an integer, nano-USD per instance-hour, parsed from the decimal text of the source
// without a detour over binary floating point ([ParseUSD]). A row holds from its
// instant until the next row of its pool, and the last one until the end of the
// observation, which the manifest states.
//
// # Where to go from here
//
//   - formats reads the files that clouds and published data sets come in, and a
//     format of your own (formats.Register).
//   - catalogue lists the public data sets, downloads them, and loads any trace:
//     catalogue.Load is the way in for most programs.
//   - describe has statistics, correlations and lifetimes of machines.
//   - replay turns a set into traces for package sim, under an assumption that has
//     a name.
//   - synth makes traces: with published statistics, or by a model fitted to a set.
package traces
