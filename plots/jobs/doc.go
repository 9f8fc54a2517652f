// Package jobs draws runs in which many jobs share a cluster: how long jobs take, how busy the
// GPUs are and how many wait, who ran where, and cost against completion time.
package jobs
