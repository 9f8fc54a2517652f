// Package prices imports tables of Spot prices of any source.
package formats

func init() {
	Register(pricesCSV)
}
