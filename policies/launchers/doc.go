// Package launchers has the rules by which public tools get instances for one job: where they ask, in which order, how
// long they wait, what they do at a loss. The policies follow the rules of a tool as they were read at one version,
// which the source of each names; they are not made or checked by the tools' authors. What a tool does not publish is a
// setting, with what is assumed as its default.
//
// cluster.go is what they share: a cluster that is asked for in one pool at a time, and starts, runs and is lost as a
// whole. sizing.go has the number of instances and the layout.
package launchers
