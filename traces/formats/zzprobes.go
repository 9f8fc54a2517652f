// Package probes imports rounds of launches that were given back at once.
package formats

func init() {
	Register(skynomadProbes, dimeLaunches)
}
