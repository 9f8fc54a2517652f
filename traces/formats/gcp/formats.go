// Package gcp imports what Google's cloud publishes: list prices as they were crawled,
// the history of prices and preemption rates, and operations on machines.
package gcp

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(revisionsFormat, pricingFormat, historyFormat, operationsFormat)
}
