// Package all makes the formats of this program known: to import it is enough.
package all

import (
	_ "github.com/marigram/marigram/traces/formats/aws"
	_ "github.com/marigram/marigram/traces/formats/azure"
	_ "github.com/marigram/marigram/traces/formats/counts"
	_ "github.com/marigram/marigram/traces/formats/gcp"
	_ "github.com/marigram/marigram/traces/formats/jobs"
	_ "github.com/marigram/marigram/traces/formats/machines"
	_ "github.com/marigram/marigram/traces/formats/prices"
	_ "github.com/marigram/marigram/traces/formats/probes"
)
