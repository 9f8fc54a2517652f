// Package all makes the formats of this program known: to import it is enough.
package all

import (
	_ "github.com/marigram/marigram/traces/formats/clouds"
	_ "github.com/marigram/marigram/traces/formats/jobs"
	_ "github.com/marigram/marigram/traces/formats/pools"
	_ "github.com/marigram/marigram/traces/formats/runs"
)
