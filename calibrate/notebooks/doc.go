// Package notebooks computes how many GPUs sessions of notebooks need that hold GPUs only
// while a cell runs, on a pool of hosts with an autoscaler (NotebookOS, ASPLOS 2026):
// bounds (Bounds), and a simulation by events in whole seconds (Pool.Run). The rules are
// simplified from the public code; hosts are never preempted here.
package notebooks
