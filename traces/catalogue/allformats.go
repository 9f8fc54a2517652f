//go:build !js

package catalogue

import (
	_ "github.com/marigram/marigram/traces/formats/clouds" // Load reads all formats; a browser has no files
	_ "github.com/marigram/marigram/traces/formats/jobs"
	_ "github.com/marigram/marigram/traces/formats/pools"
	_ "github.com/marigram/marigram/traces/formats/runs"
)
