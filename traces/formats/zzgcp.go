// Package gcp imports what Google's cloud publishes: list prices as they were crawled,
// the history of prices and preemption rates, and operations on machines.
package formats

func init() {
	Register(gcpPrices, gcpPricing, gcpHistory, gcpOperations)
}
