package formats

func init() {
	Register(awsSpotPrice, awsSpotText, awsSpotLines, awsSpotArchive, awsEvents, spotAdvisor, azureRetail, azureGraph, azureDaily, azureEvents,
		gcpPrices, pricesCSV, gcpPricing, gcpHistory, countsJSON, availabilityCSV, nodeEvents, stepCounts, skynomadProbes, dimeLog, dimeLaunches,
		gcpOperations, lifetimeCSV, jobsCSV, gavelJobs)
	RegisterExporter(Exporter{"aws-json", exportAWSJSON})
}
