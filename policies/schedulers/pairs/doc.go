// Package pairs has schedulers of clusters on which two jobs may share GPUs: Gavel's space sharing (OSDI 2020). They are package
// cluster's rounds, planned by tasks (sim.ByTasks): a host is a GPU (sim.Pool.Full of one GPU, of which a task takes half), a job has a task a GPU,
// and two jobs of as many GPUs are put on the same ones where the rule gives that pair a share of the time.
package pairs
