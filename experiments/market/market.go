// Package market makes the markets that a spec asks for: it reads recorded traces,
// joins prices with capacity, and generates what is synthetic.
//
//	m, err := market.Of(s)   // m.Warnings: why the numbers may mislead
//	one, err := m.For(seed)  // the sim.Market of a seed
package market

import (
	"fmt"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
)

// Of reads the traces of a spec and checks that a market can be made of them.
func Of(s *spec.Spec) (*Markets, error) { return open(s, &Markets{}) }

// Whole is Of with recorded traces to their end, not to the horizon of a run
// that begins where they do: for runs that begin later.
func Whole(s *spec.Spec) (*Markets, error) { return Given(s, nil) }

// Given is Whole with traces that are in memory, by their names in the spec, instead of files.
func Given(s *spec.Spec, sets map[string]*traces.Set) (*Markets, error) {
	if s.Market.Synthetic != nil {
		return nil, s.ErrorAt("$.market.synthetic",
			"starts need a recorded trace: a synthetic market differs for every seed")
	}
	if len(s.Market.Pools) == 0 {
		return nil, s.ErrorAt("$.market.servers", "starts need a recorded trace: a fixed cluster has none")
	}
	return open(s, &Markets{whole: true, given: sets})
}

func open(s *spec.Spec, m *Markets) (*Markets, error) {
	m.spec = s
	prepare := m.record
	switch {
	case s.Market.Synthetic != nil:
		prepare = m.synthetic
	case len(s.Market.Pools) == 0:
		prepare = m.fixed
	}
	if err := prepare(); err != nil {
		return m, err
	}
	if err := m.readFailures(); err != nil {
		return m, err
	}
	if err := m.readSlow(); err != nil {
		return m, err
	}
	m.Unit = m.unit()
	first, err := m.For(uint64(s.Seed))
	if err == nil {
		err = m.prepareMoves(first)
	}
	if err == nil {
		m.warnClouds(first)
	}
	if !m.differ() {
		m.only, m.recorded = first, nil // which the market has copied
	}
	return m, err
}

// For returns the market for a seed.
func (m *Markets) For(seed uint64) (*sim.Market, error) {
	if m.only != nil {
		return m.only, nil
	}
	if m.spec.Market.Synthetic != nil {
		return m.Synthetic(seed, m.spec.Horizon())
	}
	var all []sim.Trace
	for i := range m.recorded {
		h, err := m.recorded[i].forSeed(seed)
		if err != nil {
			return nil, fmt.Errorf("pool %s: %w", h.Name, err)
		}
		all = append(all, h)
	}
	if err := m.addLevels(seed, all); err != nil {
		return nil, err
	}
	return m.newMarket(m.end, all)
}
