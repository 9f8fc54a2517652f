// Package parallel is the model of synchronous data-parallel training: every
// worker has a copy of the network, computes the gradients of its share of a
// batch, and all exchange them after each step (PyTorch DDP, Horovod, FSDP on
// whole replicas). Start with [Fit], which makes a [Law] of the step time for each
// instance type from two or three measured sizes, then [New].
//
// Progress is samples and the loss is the samples that are left, so a whole job
// has the objective loss 0.
package parallel
