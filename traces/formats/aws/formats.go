// Package aws imports what Amazon's cloud publishes: Spot prices as its command prints
// them and as others archive them, events of Spot machines, and the data of the Spot
// Instance Advisor. It exports prices as the command prints them.
package aws

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(spotPrice, spotText, spotLines, spotArchive, eventFormat, trailFormat, spotAdvisor)
	formats.RegisterExporter(formats.Exporter{Name: "aws-json", Write: exportJSON})
}
