// Package market makes the markets that a spec asks for: it reads recorded traces,
// joins prices with capacity, and generates what is synthetic.
//
//	m, err := market.Of(s)   // m.Warnings: why the numbers may mislead
//	one, err := m.For(seed)  // the sim.Market of a seed
package market
