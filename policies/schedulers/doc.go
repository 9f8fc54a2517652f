// Package schedulers has schedulers of clusters that many jobs share. They are policies like
// others: a cluster of a fixed size is a market whose capacity does not change, with a pool a
// server (or a model of GPU), whose quota is its number of GPUs, and whose Region is the switch
// that it is at. Jobs are gangs (sim.GangModel), in the order of their submission.
//
// Pools on demand are no part of a cluster: only schedulers that say so rent there.
//
// All plan by parts (sim.ByParts) and count what is free in a book. Queues (FIFO, LAS, Starburst) keep it from decision
// to decision, with those that wait in a line; Rounds shares by the rules of package share; Dally and Deadlines go
// through all active jobs.
//
// A scheduler that takes GPUs from a job stops it with what it has done; what it costs to go
// on is the model's business.
package schedulers
