// Package backtest holds simulated runs beside observed ones: for each past run, what would have been predicted of it without
// knowing it.
//
// An Observed is a run with what it held, did and paid (From makes one of package ownruns' neutral form). Judge leaves each run out, fits a model to
// the others (package fromruns), replays the recorded holdings (policy recorded) under models that the fit allows, and compares finish, dollars,
// steps done again, hours by activity and the curve of progress. Its Verdict says how large the errors are and how often the intervals hold.
//
// ObservedTables makes the tables of a simulated run of an observed one, so that figures and programs take both. PublishedSets are runs
// that others made and published, from the tables of package facts, which name their sources.
package backtest
