// Package traces brings recorded histories of spot markets into one neutral
// form, describes them, and replays them as histories of package sim.
//
// # The neutral form
//
// A [Set] is what one trace says: a manifest (where it came from, whose clock
// it uses, what an observation means), the pools, and tables of what happened:
// prices, capacity counts, launch probes, events of single machines, signals,
// jobs, and gaps in which nothing is known. In memory it is slices of rows; on disk it is a folder of Parquet
// files with the same columns ([Set.Write], [Read], FORMATS.md).
//
// Instants are microseconds UTC since 1970-01-01; a trace that only counts from
// its own beginning has its beginning there (the manifest's clock_kind says
// so). Money is an integer, nano-USD per instance-hour, parsed from the decimal
// text of the source without a detour over binary floating point. A row holds
// from its instant until the next row of its pool, and the last one until the
// end of the observation, which the manifest states.
//
// # The way in
//
// [Import] reads the formats that [Formats] lists, by name or by content, packed
// with gzip or zstd or not, and [Load] also reads the neutral form. [ImportTo]
// writes the neutral form without holding its prices. An importer
// sorts, drops exact duplicates, flags repeats, and counts each of them in a
// [Report]; everything else that is wrong is a [DataError] naming file, line,
// column, the value and what was expected. It guesses nothing: whether 1 means
// available or preempted, and whether a page that was cut may be used, is for
// the caller to say.
//
// [Catalogue] lists the public data sets, of which none is part of this
// program; [Pull] brings one from its public home or a local copy, checked
// against its SHA-256, and Load reads it as pulled:NAME.
//
// # The way out
//
// [Stats] describes a set in the terms used by the literature; [Lives] and
// [KaplanMeier] tell how long machines live, with those censored that were given
// back or outlived the observation. A [Tape] is a
// set laid out for replay; a [Replay] says which assumption turns it into
// machines that come and go, for no recorded trace holds price, preemptions and
// notices of the same machines. The assumption has a name, which belongs in
// every result.
//
// Where lives or bids are assumed, the adapter says by which law; the seed is
// beside it.
// [Export] writes a set in a format of others, such as the pages of AWS prices
// that it came from.
//
// # Made histories
//
// [Synthetic] makes histories instead of reading them, from a seed, with the
// statistics of the published traces. A [Generator] makes them by a law that
// [Fit] fits to one history, and says how well: [Check] compares what it makes
// with what was recorded, statistic by statistic, each with its tolerance.
package traces
