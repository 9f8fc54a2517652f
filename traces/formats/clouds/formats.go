// Package clouds imports what Amazon's, Microsoft's and Google's clouds publish: prices, rates of preemption, events of
// machines and operations on them.
package clouds

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(spotPrice, spotText, spotLines, eventFormat, trailFormat)
	formats.Register(retailFormat, dailyFormat, azureEvents)
	formats.Register(revisionsFormat, pricingFormat, operationsFormat)
}
