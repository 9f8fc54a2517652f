// Package all registers every procedure: import it for its effect where claims are
// run.
package all

import (
	_ "github.com/marigram/marigram/experiments/claims"
)
