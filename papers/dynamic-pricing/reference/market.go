package reference

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Clouds.
const (
	AWS   = "aws"
	Azure = "azure"
)

// Instance is what can be rented: a kind of machine in a place.
type Instance struct {
	Cloud string // AWS or Azure
	Place string // zone; of Azure, the region
	GPU   string // k80, p100 or v100
	GPUs  int    // at least 1
}

// Price is a published record: what an instance costs from an instant on.
type Price struct {
	Instance
	At      time.Time
	USDPerH float64 // of the whole instance
}

// day counts days since 1970, UTC.
type day int

func dayOf(t time.Time) day { return day(math.Floor(float64(t.Unix()) / 86400)) }

func (d day) date() string { return time.Unix(int64(d)*86400, 0).UTC().Format(time.DateOnly) }

// kinds are the clouds' kinds of machines, in the order in which they are tried.
var kinds = []Instance{
	{AWS, "", "k80", 1}, {AWS, "", "k80", 8}, {AWS, "", "k80", 16},
	{AWS, "", "v100", 1}, {AWS, "", "v100", 4}, {AWS, "", "v100", 8},
	{Azure, "", "v100", 1}, {Azure, "", "v100", 2}, {Azure, "", "v100", 4}, {Azure, "", "v100", 8},
	{Azure, "", "p100", 1}, {Azure, "", "p100", 2}, {Azure, "", "p100", 4},
	{Azure, "", "k80", 1}, {Azure, "", "k80", 2}, {Azure, "", "k80", 4}, {Azure, "", "k80", 8},
}

// kind returns what the instance is, whatever its place.
func (i Instance) kind() Instance {
	i.Place = ""
	return i
}

// reference is the kind whose prices bound the market, and baseline's choice.
var reference = Instance{AWS, "", "v100", 1}

// Market is the prices of one region of AWS and those of Azure, by day.
type Market struct {
	offers map[day][]Price              // in the order in which they are tried
	last   map[day]map[Instance]float64 // the last price of the day, USD per hour
	days   []day                        // on which the reference has a price, ascending
}

// NewMarket returns a market of prices. Records of one kind and instant keep their
// order. Kinds that the published strategies do not know are passed over. An error
// means that the reference, one V100 of AWS, has no price, or a price is not positive.
func NewMarket(prices []Price) (*Market, error) {
	m := &Market{offers: map[day][]Price{}, last: map[day]map[Instance]float64{}}
	order := map[Instance]int{}
	for i, k := range kinds {
		order[k] = i
	}
	latest := slices.Clone(prices)
	slices.SortStableFunc(latest, func(a, b Price) int {
		return cmp.Or(cmp.Compare(order[a.kind()], order[b.kind()]), b.At.Compare(a.At))
	})
	for _, p := range latest {
		if _, known := order[p.kind()]; !known {
			continue
		}
		if !(p.USDPerH > 0) || math.IsInf(p.USDPerH, 1) {
			return nil, fmt.Errorf("%s in %s costs %v USD/h at %s, expected a positive price", p.name(), p.Place, p.USDPerH,
				p.At.Format(time.RFC3339))
		}
		m.add(p)
	}
	slices.Sort(m.days)
	if m.days = slices.Compact(m.days); len(m.days) == 0 {
		return nil, fmt.Errorf("no price of one V100 of AWS among %d", len(prices))
	}
	return m, nil
}

// add takes a record that is not later than those of its kind before.
func (m *Market) add(p Price) {
	d := dayOf(p.At)
	m.offers[d] = append(m.offers[d], p)
	if m.last[d] == nil {
		m.last[d] = map[Instance]float64{}
	}
	if _, later := m.last[d][p.Instance]; !later {
		m.last[d][p.Instance] = p.USDPerH
	}
	if p.kind() == reference {
		m.days = append(m.days, d)
	}
}

// Starts returns the number of days on which a published run starts: of the last 35
// that have a price of one V100, the first 30.
func (m *Market) Starts() int { return max(min(len(m.days), 35)-5, 0) }

// start returns the day of a start, from 0.
func (m *Market) start(k int) day { return m.days[max(len(m.days)-35, 0)+k] }

// end returns the day on which prices end.
func (m *Market) end() day { return m.days[len(m.days)-1] }

// name returns what the kind is called.
func (i *Instance) name() string { return fmt.Sprintf("%sx%d of %s", i.GPU, i.GPUs, i.Cloud) }
