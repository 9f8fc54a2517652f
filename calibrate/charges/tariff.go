package charges

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/store"
)

// Tariff prices transfers.
type Tariff interface {
	// USD returns what n gigabytes from one place to another cost. An error names a
	// place for which there is no price.
	USD(from, to Place, gb float64) (float64, error)
}

// The published tariffs.
const (
	Tiers2020 = "tiers-2020" // AWS, Azure and Google in 2020, by size
	AWS2025   = "aws-2025"   // pairs of regions of AWS in 2025
)

// TariffNames returns the names of the published tariffs.
func TariffNames() []string { return []string{AWS2025, Tiers2020} }

// NamedTariff returns a published tariff, false if there is none of that name.
func NamedTariff(name string) (Tariff, bool) {
	switch name {
	case Tiers2020:
		return tiered{}, true
	case AWS2025:
		return pairs{}, true
	}
	return nil, false
}

// Flat is one price of a GB between all places that are not in one zone, USD.
type Flat float64

// USD implements Tariff.
func (f Flat) USD(from, to Place, gb float64) (float64, error) {
	if ScopeOf(from, to) == SameZone {
		return 0, nil
	}
	return gb * float64(f), nil
}

// TariffOf returns one price for all, if there is one, a published tariff, or the user's table at a path.
func TariffOf(flat *float64, name, path string) (Tariff, error) {
	if flat != nil {
		return Flat(*flat), nil
	}
	if named, known := NamedTariff(name); known {
		return named, nil
	}
	if store.InputAbsent(path) {
		return nil, fmt.Errorf("%s: no such file; expected one, or one of %s", name, strings.Join(TariffNames(), ", "))
	}
	return OpenTariffs(path)
}

// band is a part of a tariff by size.
type band struct {
	Cloud     string  `col:"cloud"`
	Scope     string  `col:"scope"`
	Continent string  `col:"source_continent"`
	From      float64 `col:"from_gb"`
	To        float64 `col:"to_gb"` // NaN: no end
	USDPerGB  float64 `col:"usd_per_gb"`
}

var bands = sync.OnceValue(func() []band { return facts.Read[band]("transfer_tiers_2020") })

// tiered is the tariff of 2020.
type tiered struct{}

func (tiered) USD(from, to Place, gb float64) (float64, error) {
	scope := ScopeOf(from, to)
	if scope == SameZone {
		return 0, nil
	}
	return TiersUSD(from.Cloud, scope, Continent(from.Region), gb)
}

// TiersUSD returns what n gigabytes cost that leave a cloud on a continent, by the
// tariff of 2020: each band's part at the band's price. The whole transfer is one; the
// month's other traffic does not count. An error means that the tariff has no such row.
func TiersUSD(cloud string, scope Scope, continent string, gb float64) (float64, error) {
	usd := 0.0
	known := false
	for _, band := range bands() {
		if band.Cloud != cloud || band.Scope != string(scope) || band.Continent != continent {
			continue
		}
		known = true
		if gb <= band.From {
			continue
		}
		end := band.To
		if math.IsNaN(end) {
			end = gb
		}
		usd += (min(gb, end) - band.From) * band.USDPerGB
	}
	if !known {
		return 0, fmt.Errorf("%s has no price for cloud %q, %s, from continent %q", Tiers2020, cloud, scope, continent)
	}
	return usd, nil
}

// pairs is the tariff of AWS of 2025.
type pairs struct{}

var aws2025 = sync.OnceValue(func() map[[2]string]float64 {
	type row struct {
		From     string  `col:"from"`
		USDPerGB float64 `col:"usd_per_gb"`
		To       string  `col:"to"`
	}
	out := map[[2]string]float64{}
	for _, r := range facts.Read[row]("transfer_aws_2025") {
		for _, to := range strings.Fields(r.To) {
			out[[2]string{r.From, to}] = r.USDPerGB
		}
	}
	return out
})

// USD of the pairs of 2025 takes transfers within a region for free, as of checkpoints in
// the region's storage: the price list is of pairs of regions.
func (pairs) USD(from, to Place, gb float64) (float64, error) {
	switch ScopeOf(from, to) {
	case SameZone, SameRegion:
		return 0, nil
	case OtherRegion:
		usd, known := aws2025()[[2]string{from.Region, to.Region}]
		if known && (from.Cloud == "aws" || from.Cloud == "") {
			return gb * usd, nil
		}
	}
	return 0, fmt.Errorf("%s has no price from %s to %s, only between regions of AWS", AWS2025, from, to)
}

// String is for instance "us-east-1 of aws".
func (p Place) String() string {
	where := p.Zone
	if p.Region != "" {
		where = p.Region
	}
	if where == "" {
		return "a place of " + p.Cloud
	}
	if p.Cloud == "" {
		return where
	}
	return where + " of " + p.Cloud
}
