// Package all registers the papers of this module. Import it for its effect where claims
// are run.
package all

import (
	_ "github.com/marigram/marigram/papers/airesim"
	_ "github.com/marigram/marigram/papers/bamboo"
	_ "github.com/marigram/marigram/papers/checkpoint"
	_ "github.com/marigram/marigram/papers/cmdare"
	_ "github.com/marigram/marigram/papers/compression"
	_ "github.com/marigram/marigram/papers/dally"
	_ "github.com/marigram/marigram/papers/deadline"
	_ "github.com/marigram/marigram/papers/defection"
	_ "github.com/marigram/marigram/papers/dynamic-pricing"
	_ "github.com/marigram/marigram/papers/gavel"
	_ "github.com/marigram/marigram/papers/hadar"
	_ "github.com/marigram/marigram/papers/icac19"
	_ "github.com/marigram/marigram/papers/notebooks"
	_ "github.com/marigram/marigram/papers/oobleck"
	_ "github.com/marigram/marigram/papers/out-of-core"
	_ "github.com/marigram/marigram/papers/parcae"
	_ "github.com/marigram/marigram/papers/reliability"
	_ "github.com/marigram/marigram/papers/sailor"
	_ "github.com/marigram/marigram/papers/skynomad"
	_ "github.com/marigram/marigram/papers/spotdnn"
	_ "github.com/marigram/marigram/papers/starburst"
	_ "github.com/marigram/marigram/papers/stash"
	_ "github.com/marigram/marigram/papers/sync"
	_ "github.com/marigram/marigram/papers/tiresias"
	_ "github.com/marigram/marigram/papers/torchft"
	_ "github.com/marigram/marigram/papers/transfers"
	_ "github.com/marigram/marigram/papers/varuna"
	_ "github.com/marigram/marigram/papers/waiting"
)
