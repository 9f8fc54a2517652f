// Package reference replays published systems the way their public simulators
// count: ties, steps that finish inside a pause, costs from creation. These are
// compatibility modes, for comparing marigram with published numbers; what our
// own semantics give instead, and how large the difference is, DEVIATIONS.md
// says. Nothing here is used by a run unless it is asked for by name.
package reference

// NodeEvent is one node that comes or goes.
type NodeEvent struct {
	At   int64 // ms since the beginning
	Node int32 // from 0, used once
	Add  bool  // it comes; else it goes
}
