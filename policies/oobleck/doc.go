// Package oobleck is Oobleck (Jang et al., SOSP 2023): the policy, and its planning
// of pipelines, which can be asked alone: templates for every number of nodes
// (Profile), the sets of them that use all nodes (Sets), micro-batches (Batches),
// and what is done after a loss (Reconfigure).
package oobleck
