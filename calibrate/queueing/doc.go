// Package queueing has the closed forms of a fixed cluster whose jobs may go to
// on-demand machines instead: who waits and what it costs (Waiting Game, SC 2020),
// with a simulation of the same queues, and who leaves a cluster that shares its
// cost (ICPE 2023).
package queueing
