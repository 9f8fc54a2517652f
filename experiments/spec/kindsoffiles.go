//go:build !js

package spec

// Quotas are read from files, which the page Try has none of: there they would only make the download larger.
import _ "github.com/marigram/marigram/experiments/quotas"
