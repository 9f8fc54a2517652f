// Package jobs imports lists of the jobs of clusters.
package jobs

import (
	"github.com/marigram/marigram/traces/formats"
)

func init() {
	formats.Register(minimalFormat, csvFormat, gavelFormat, tiresiasFormat, phillyFormat, swfFormat)
}
