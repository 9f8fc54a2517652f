// Package replay turns recorded traces into traces of package sim.
//
// [New] lays a set out for replay, as a [Trace]; a [Replay] says which assumption makes
// machines of it that come and go, for no recorded trace holds price, preemptions and
// notices of the same machines. [Replay.Market] returns the market of a [Window]; the
// zero window is the whole observation.
//
// The assumption has a name ([Replay.String]), which belongs in every result. Where
// lifetimes or bids are assumed, the name says by which distribution; the seed is
// beside it.
package replay
