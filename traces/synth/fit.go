package synth

import (
	"fmt"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/internal/series"
)

// FitOptions says how to fit; the zero value is right.
type FitOptions struct {
	// Seeds is how many histories the goodness of fit is measured on; 0: 40.
	Seeds int
	// Block is the length of the blocks of the law block; 0: a day, or a
	// quarter of the shortest pool's record if that is shorter.
	Block time.Duration
	// MaxLifetime ends every life of the laws kaplan-meier and bathtub (Google's
	// preemptible VMs: 24 h); 0: no end.
	MaxLifetime time.Duration
}

const defaultSeeds = 40

func (o *FitOptions) seeds() int {
	if o.Seeds == 0 {
		return defaultSeeds
	}
	return o.Seeds
}

// fitSeeds is how many histories parameters are fitted on, where that takes
// simulation.
func (o *FitOptions) fitSeeds() int { return min(o.seeds(), 12) }

func (o *FitOptions) check() error {
	if o.Seeds < 0 || o.Seeds > 10_000 || o.Block < 0 || o.MaxLifetime < 0 || o.MaxLifetime.Hours() > describe.MaxLifetimeHours {
		return fmt.Errorf("fit: seeds %d, block %v, longest life %v, expected 0 to 10000, and times from 0 to 100 years", o.Seeds, o.Block, o.MaxLifetime)
	}
	return nil
}

// Fit fits a law to a history and measures how well what it makes agrees with
// it (see Check). The measurement is on the history of the fit: it says whether
// the law can be like that history, not whether it foretells another.
func Fit(law string, s *traces.Set, opt FitOptions) (*Generator, error) {
	l, err := modelNamed(law)
	if err != nil {
		return nil, err
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	if l.fit == nil {
		return nil, fmt.Errorf("the law %s cannot be fitted", law)
	}
	h := newHistory(s)
	if len(s.Pools) == 0 || h.span() < 1 {
		return nil, fmt.Errorf("fit of the law %s: the history is empty", law)
	}
	g := &Generator{Version: GeneratorVersion, Model: law, Pools: generatorPools(h), History: historyOf(s)}
	if law == priceEntry.name {
		dropMachines(g.Pools)
	}
	if g.Parameters, err = l.fit(h, opt); err != nil {
		return nil, fmt.Errorf("fit of the law %s to %s: %w", law, s.Manifest.TraceID, err)
	}
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("fit of the law %s to %s: %w", law, s.Manifest.TraceID, err)
	}
	table, err := Check(g, s, opt.seeds())
	if err != nil {
		return nil, err
	}
	g.Fit = &table
	return g, nil
}

// dropMachines leaves pools with prices only.
func dropMachines(pools []GeneratorPool) {
	for i := range pools {
		pools[i].Cap, pools[i].Machines = 0, false
	}
}

func historyOf(s *traces.Set) *History {
	m := &s.Manifest
	return &History{
		TraceID: m.TraceID, SHA256: setDigest(s), Semantics: m.Semantics,
		Hours: float64(m.TEndUs-m.TStartUs) / series.HourUs, Licence: m.Source.Licence, Files: m.Source.Files,
	}
}
