// Package machines imports records of single machines: when each came and went, logs of
// scripts that kept some, sheets of lifetimes.
package formats

func init() {
	Register(nodeEvents, dimeLog, lifetimeCSV)
}
