// Package formats imports recorded traces into the neutral form of package traces, and records of runs.
//
// [Import] reads files of the formats that [Formats] lists, by name or by content,
// packed with gzip or zstd or not; [ImportTo] writes the neutral form without holding
// its prices. An importer sorts, drops exact duplicates, flags repeats, and counts
// each of them in a [traces.Report]; everything else that is wrong is a
// [traces.DataError] naming file, line, column, the value and what was expected. It
// guesses nothing: whether 1 means available or preempted, and whether a page that
// was cut may be used, is for the caller to say ([traces.Options]).
//
// [ImportRun] reads the records of one training run into package ownruns, and [ExportRun] writes them; it takes
// machines and prices from the formats of markets, too. [ImportJobs] reads lists of jobs of any length.
//
// The formats themselves are in packages of their own: clouds, pools, jobs and runs. Import package catalogue
// for all of them.
//
// # A format of your own
//
// Call [Register] in an init function, of this module or of another. A [Format] says
// how it is recognised and makes an [Importer] for each import, which reads one file
// after another (package read) and hands rows to a [Builder]. The example of Register
// is a whole one.
package formats
