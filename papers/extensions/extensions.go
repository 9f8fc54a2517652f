// Package extensions registers what papers add to the names that specs and commands know: policies, schedulers and
// families of models. Import it for its effect. It needs neither claims nor experiments, so that whatever lists
// policies can import it.
package extensions

import (
	_ "github.com/marigram/marigram/papers/cmdare/complexity"
	_ "github.com/marigram/marigram/papers/gavel/rules"
	_ "github.com/marigram/marigram/papers/hadar/auction"
	_ "github.com/marigram/marigram/papers/notebooks/pool"
	_ "github.com/marigram/marigram/papers/skynomad/uniform"
)
