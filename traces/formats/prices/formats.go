// Package prices imports tables of Spot prices of any source.
package prices

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(csvFormat)
}
