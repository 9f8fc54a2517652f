// Package aws imports what Amazon's cloud publishes: Spot prices as its command prints
// them and as others archive them, events of Spot machines, and the data of the Spot
// Instance Advisor. It exports prices as the command prints them.
package formats

func init() {
	Register(awsSpotPrice, awsSpotText, awsSpotLines, awsSpotArchive, awsEvents, spotAdvisor)
	RegisterExporter(Exporter{Name: "aws-json", Write: exportAWSJSON})
}
