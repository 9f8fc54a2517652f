// Package ownruns is the neutral form of what a team's own training runs recorded: a Run is
// a list of events in order of time, of machines (granted, warned, preempted), of training
// (steps, saves, restarts) and of money (charges, prices).
//
// Records of vendors and of trainers become Runs in package formats; anything else can be
// turned into the plain CSV of this package, which ScanCSV reads and WriteCSV writes. Merge
// joins what the fleet, the trainer and the bill each recorded of one run.
//
// What follows from the events is computed here too: the machines that were held
// (Run.Holdings), the training (Run.Progress), the hours by activity (Run.Hours) and the
// dollars (Run.Dollars).
package ownruns
