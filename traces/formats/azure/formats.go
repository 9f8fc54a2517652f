// Package azure imports what Microsoft's cloud publishes: Spot prices and eviction rates
// of its interfaces, tables of daily prices, and scheduled events.
package azure

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(retailFormat, graphFormat, dailyFormat, eventFormat)
}
