// Package ps models training with parameter servers and, in general, data-parallel
// workers that keep together in some way.
//
// A Profile says what each instance type trains at alone, Coefficients how workers
// contend for the servers and how the loss falls (spotDNN, IWQoS 2023); Published
// has one of both. NewASP makes a sim.Model of asynchronous training from them,
// NewSynchronised one of any Synchrony (barriers, bounded staleness, backups).
//
// The other files are the parts that are fitted, one a file, with formula, source
// and family: contention, capacity, distance to the servers, loss, checkpoints, roll
// backs, start-up and step times of networks (CM-DARE, ICDCS 2020). Importing the
// package registers the families.
package ps
