// Package machines imports records of single machines: when each came and went, logs of
// scripts that kept some, sheets of lifetimes.
package machines

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(nodesFormat, dimeFormat, lifetimesFormat)
}
