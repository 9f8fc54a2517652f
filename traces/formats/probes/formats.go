// Package probes imports rounds of launches that were given back at once.
package probes

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(skynomadFormat, launchesFormat)
}
