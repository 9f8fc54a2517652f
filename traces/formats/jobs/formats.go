// Package jobs imports lists of the jobs of clusters, and writes the minimal form.
package jobs

import (
	"github.com/marigram/marigram/traces/formats"
)

func init() {
	formats.Register(minimalFormat, csvFormat, gavelFormat, tiresiasFormat, phillyFormat, swfFormat)
	formats.RegisterExporter(formats.Exporter{Name: minimalFormat.Name, Write: writeMinimal})
}
