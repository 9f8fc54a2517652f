// Package pipeline models synchronous training on D pipelines of P stages.
//
// New makes a sim.Model from the throughput of each layout and from what losses
// cost (Recovery). Throughputs are measured (ReadThroughput, PublishedThroughput,
// OobleckTables, BambooModel) or computed from the layers of a network, a schedule
// and links (Network.Speeds).
//
// Parcae is the profile of a job that migrates while it runs (NSDI 2024): what
// each change of layout costs, and what is to be expected of one when instances
// are lost at random (liveput). NewMigrating makes a sim.Model of it; planners of
// package policies read it. Quirks are the errors of Parcae's public code, by name.
package pipeline
