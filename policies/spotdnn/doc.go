// Package spotdnn is the provisioner of spotDNN (IWQoS 2023) and the baselines of its
// paper. Their searches for a cluster are Strategies, which can be asked alone: Window
// is spotDNN's, Exhaustive the cheapest of all. ClusterSearch fills in a Task for a
// policy, from what the policy sees.
package spotdnn
