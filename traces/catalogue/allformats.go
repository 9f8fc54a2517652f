//go:build !js

package catalogue

import _ "github.com/marigram/marigram/traces/formats/all" // Load reads them all; a browser has no files
