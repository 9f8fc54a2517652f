package market

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim"
)

// offList is how many times the list's price, or what part of it, is taken for another
// unit: cents are 100 times dollars, and a month has 730 hours.
const offList = 20

// listed is a row of the list of on-demand prices.
type listed struct {
	Cloud  string `col:"cloud"`
	Type   string `col:"instance_type"`
	USD    string `col:"usd_per_h"` // text: it warns only, no claim depends on it
	Region string `col:"region"`
}

// onDemandList are the published prices, by the plain name of the instance type.
var onDemandList = sync.OnceValue(func() map[string]listed {
	list := map[string]listed{}
	for _, row := range facts.Read[listed]("instance_prices") {
		list[plainType(row.Type)] = row
	}
	return list
})

// plainType is an instance type without what is written in several ways: Azure's
// Standard_NC6s_v3 is NC6s v3, too.
func plainType(name string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(name), " ", "_"), "standard_")
}

// warnList warns of prices that are so far from those on the list that they are in
// another unit, or of another type; it reports whether those of the trace are.
func (m *Markets) warnList(p *spec.Pool, name string, prices []sim.Price) (warned bool) {
	row, known := onDemandList()[plainType(p.Type)]
	if !known {
		return false
	}
	list, err := strconv.ParseFloat(row.USD, 64)
	if err != nil {
		panic("market: instance_prices: " + err.Error()) // the table is part of the program
	}
	check := func(what string, smallest, largest float64) bool {
		var times float64
		off := "times"
		switch {
		case largest > 0 && largest <= list/offList:
			times = list / largest
			off = "times less than"
		case largest >= offList*list:
			times = largest / list
		default:
			return false
		}
		m.warn("%s: %s (%s USD per hour) is %s %s the list price of %s on demand (%s USD per hour, %s, %s): "+
			"is it in cents, per month (730 hours), or of another type?", name, what, span(smallest, largest),
			strconv.FormatFloat(times, 'g', 3, 64), off, p.Type, row.USD, row.Cloud, row.Region)
		return true
	}
	if x := p.OnDemandUSDPerH; x > 0 {
		check("on_demand_usd_per_h", x, x)
	}
	if prices == nil {
		return false
	}
	smallest, largest := priceRange(prices)
	return check("the spot price", smallest, largest)
}

func priceRange(prices []sim.Price) (smallest, largest float64) {
	smallest, largest = prices[0].USD, prices[0].USD
	for _, p := range prices {
		smallest, largest = min(smallest, p.USD), max(largest, p.USD)
	}
	return smallest, largest
}

// span is a range of prices as text.
func span(smallest, largest float64) string {
	if smallest == largest {
		return fmt.Sprint(smallest)
	}
	return fmt.Sprintf("%v to %v", smallest, largest)
}
