package skynomad

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/skynomad/reference"
	"github.com/marigram/marigram/traces"
)

// The recorded traces, of which the authors' simulations are.
const (
	h100Probes = "skynomad-gcp-h100-probes"
	v100Ticks  = "skynomad-aws-v100-availability-all"
	v100Prices = "skynomad-aws-v100-prices-all"
)

// reader reads a pulled set, once.
type reader func(name string) (*traces.Set, error)

// ZonesNamed returns the traces of zones, in the order of their names, from pulled sets: of 16 H100 of Google Cloud at
// once in ticks of 600 s, or of one V100 of AWS (us-east-1c and so on) in ticks of 195 s. Without the sets the error is
// papers.NotPulled.
func ZonesNamed(names ...string) ([]*reference.Zone, error) {
	type row struct {
		Zone     string  `col:"zone"`
		OnDemand float64 `col:"on_demand_usd_h"`
		Spot     float64 `col:"spot_usd_h"` // NaN: it is recorded
	}
	prices := map[string]row{}
	for _, r := range facts.ReadFrom[row](files, "prices") {
		prices[r.Zone] = r
	}
	var out []*reference.Zone
	pulled := once()
	for _, name := range names {
		p, known := prices[name]
		if !known {
			return nil, fmt.Errorf("no trace of %s", name)
		}
		z := &reference.Zone{Name: name, OnDemandUSD: p.OnDemand}
		var err error
		if math.IsNaN(p.Spot) {
			err = readV100(z, pulled)
		} else {
			err = readH100(z, p.Spot, pulled)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, z)
	}
	return out, nil
}

// once reads each pulled set once.
func once() reader {
	sets := map[string]*traces.Set{}
	return func(name string) (*traces.Set, error) {
		if sets[name] != nil {
			return sets[name], nil
		}
		set, err := papers.PulledSet(name)
		sets[name] = set
		return set, err
	}
}

// V100Zones returns what was recorded of one V100 in zones of AWS, in the order of their names, in ticks of 195 s which
// all zones share. The price on demand is not part of it. Without the sets the error is papers.NotPulled.
func V100Zones(names ...string) (zones []*reference.Zone, err error) {
	pulled := once()
	for _, name := range names {
		z := &reference.Zone{Name: name}
		if err := readV100(z, pulled); err != nil {
			return nil, err
		}
		zones = append(zones, z)
	}
	return zones, nil
}

// The authors' rounds of the probes of H100: n, and what the last one before a hole found holds until its end.
const (
	h100Tick  = 10 * time.Minute
	h100Ticks = 2114
	holeFrom  = 696
	holeUntil = 755
)

// firstRound is the first of the probes.
var firstRound = time.Date(2025, 10, 4, 0, 10, 0, 0, time.UTC)

// readH100 fills in whether at least one of 16 H100 could be launched in each tick; a tick without a probe is as the
// one before.
func readH100(z *reference.Zone, usd float64, pulled reader) error {
	set, err := pulled(h100Probes)
	if err != nil {
		return err
	}
	probed := map[int]bool{}
	for _, r := range set.Probes {
		if set.Pools[r.PoolID].Zone == z.Name {
			probed[int(time.UnixMicro(r.T).Sub(firstRound).Round(h100Tick)/h100Tick)] = r.Fulfilled > 0
		}
	}
	for tick := range h100Ticks {
		is, known := probed[tick]
		if tick > 0 && (!known || tick >= holeFrom && tick <= holeUntil) {
			is = z.Available[tick-1]
		}
		z.Available, z.SpotUSD = append(z.Available, is), append(z.SpotUSD, usd)
	}
	return nil
}

// readV100 fills in the ticks of a zone of one V100: row i of the probes and value i of the prices are tick i.
func readV100(z *reference.Zone, pulled reader) error {
	set, err := pulled(v100Ticks)
	if err != nil {
		return err
	}
	for _, r := range set.Capacity {
		if set.Pools[r.PoolID].Zone == z.Name {
			z.Available = append(z.Available, r.Available > 0)
		}
	}
	path, err := papers.PulledFile(v100Prices, "data/v100_spot_prices.json")
	if err != nil {
		return err
	}
	f, err := store.OpenInput(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var all map[string][]float64
	if err := json.NewDecoder(f).Decode(&all); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name, usd := range all {
		if strings.HasPrefix(name, z.Name+"_") {
			z.SpotUSD = usd
		}
	}
	if len(z.SpotUSD) != len(z.Available) || len(z.Available) == 0 {
		return fmt.Errorf("%s: %d prices of %s, expected one for each of the %d ticks", path, len(z.SpotUSD), z.Name, len(z.Available))
	}
	return nil
}

//go:embed *.csv *.yaml
var files embed.FS
