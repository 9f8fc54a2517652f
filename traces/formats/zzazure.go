// Package azure imports what Microsoft's cloud publishes: Spot prices and eviction rates
// of its interfaces, tables of daily prices, and scheduled events.
package formats

func init() {
	Register(azureRetail, azureGraph, azureDaily, azureEvents)
}
