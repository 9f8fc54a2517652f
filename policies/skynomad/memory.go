package skynomad

import "github.com/marigram/marigram/sim"

// none is no pool.
const none = -1

// phase is what a decision waits for, at one instant.
type phase uint8

const (
	idle    phase = iota
	trying        // whether a request is granted
	probing       // whether probes are
)

// zone is what is known of a pool.
type zone struct {
	lifetimes Lifetimes
	Offer
	runs     bool     // instances of ours
	believed bool     // up, as a probe found
	refused  bool     // since the last poll
	asked    bool     // by a probe under way
	probeAt  sim.Time // from which it may be probed again
}
