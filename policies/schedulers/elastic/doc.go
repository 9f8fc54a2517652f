// Package elastic has schedulers of jobs whose number of GPUs may change while they train (sim.ResizableGang): a rule
// says how many GPUs each job gets, and the Scheduler asks it every so often and finds the servers. Jobs of a fixed
// number get that or nothing.
package elastic
