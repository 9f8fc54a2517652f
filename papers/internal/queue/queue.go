// Package queue has the closed forms of a fixed cluster of servers to which jobs come at random (Erlang).
package queue

import "math"

// ErlangB returns the share of arrivals that find s servers busy when none
// waits, for a load of a servers: the recurrence of Jagerman.
func ErlangB(s int, a float64) float64 {
	inverse := 1.0
	for k := 1; k <= s; k++ {
		inverse = 1 + inverse*float64(k)/a
	}
	return 1 / inverse
}

// ErlangC returns the share of arrivals that wait when everybody does, for a < s.
func ErlangC(s int, a float64) float64 {
	b := ErlangB(s, a)
	return b / (1 - a/float64(s)*(1-b))
}

// MeanWait returns the mean wait of M/M/s, in the unit of the rates: +Inf with as much work as servers, or more.
func MeanWait(arrivals, service float64, servers int) float64 {
	spare := float64(servers)*service - arrivals
	if spare <= 0 {
		return math.Inf(1)
	}
	return ErlangC(servers, arrivals/service) / spare
}
