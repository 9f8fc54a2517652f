// Package all registers the procedures of this module's claims. Import it for its
// effect where claims are run.
package all

import (
	_ "github.com/marigram/marigram/experiments/claims/bamboo"
	_ "github.com/marigram/marigram/experiments/claims/checkpoint"
	_ "github.com/marigram/marigram/experiments/claims/clusters"
	_ "github.com/marigram/marigram/experiments/claims/deadline"
	_ "github.com/marigram/marigram/experiments/claims/economics"
	_ "github.com/marigram/marigram/experiments/claims/gavel"
	_ "github.com/marigram/marigram/experiments/claims/oobleck"
	_ "github.com/marigram/marigram/experiments/claims/parcae"
	_ "github.com/marigram/marigram/experiments/claims/queueing"
	_ "github.com/marigram/marigram/experiments/claims/regions"
	_ "github.com/marigram/marigram/experiments/claims/spotdnn"
	_ "github.com/marigram/marigram/experiments/claims/stash"
	_ "github.com/marigram/marigram/experiments/claims/synchrony"
	_ "github.com/marigram/marigram/experiments/claims/transient"
)
