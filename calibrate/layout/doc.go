// Package layout computes how long a step of training takes, how much memory each GPU needs and what traffic costs, for
// a layout: tensor parallelism inside nodes, pipelines of stages, and replicas of every stage, over GPU types and zones
// that may differ. It also finds the best layout of a set of GPUs.
//
// Inputs are profiles: the time of each layer on each GPU type by tensor parallelism and micro-batch, the sizes of
// layers, and bandwidth against the size of a message. Nothing is guessed: a GPU, a tensor parallelism, a micro-batch
// or a link that was not profiled is an error that names the nearest ones.
//
// The formulas follow Sailor (Strati et al., SOSP 2025); package papers/sailor/reference has its own rules. Where ours
// differ, and the parameters that were fitted to half of its measured layouts, is in Runtime.
package layout
