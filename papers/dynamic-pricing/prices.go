package dynamicpricing

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers"
	"github.com/marigram/marigram/papers/dynamic-pricing/reference"
	"github.com/marigram/marigram/traces"
)

// priced is one place of the traces with its prices.
type priced struct {
	region string
	reference.Instance
	prices []reference.Price
	pool   int32 // of the trace, the first one
}

// firstDay is that from which seconds count.
var firstDay = time.Date(2020, 2, 18, 0, 0, 0, 0, time.UTC)

// The recorded prices, as the public code reads them.
const (
	awsPrices   = "dime-aws-spot-prices"
	azurePrices = "dime-azure-prices"
)

// gpusOf are the instance types of AWS whose prices the public code reads.
var gpusOf = map[string]reference.Instance{
	"p2.xlarge": {GPU: "k80", GPUs: 1}, "p2.8xlarge": {GPU: "k80", GPUs: 8}, "p2.16xlarge": {GPU: "k80", GPUs: 16},
	"p3.2xlarge": {GPU: "v100", GPUs: 1}, "p3.8xlarge": {GPU: "v100", GPUs: 4}, "p3.16xlarge": {GPU: "v100", GPUs: 8},
}

// recordedDays is how many days with a price of the reference, one V100 of AWS, the published runs look back.
const recordedDays = 35

// priceRecords reads the pulled traces: of AWS by region, kind of instance and zone, then of Azure by name. Of each day
// there are only the last record of a place and the latest of the cheapest ones, which are all that the published
// strategies can tell apart.
func priceRecords() ([]priced, error) {
	prices, regions, pools := map[reference.Instance][]reference.Price{}, map[reference.Instance]string{}, map[reference.Instance]int32{}
	for _, cloud := range []string{reference.AWS, reference.Azure} {
		set, err := papers.PulledSet(map[string]string{reference.AWS: awsPrices, reference.Azure: azurePrices}[cloud])
		if err != nil {
			return nil, err
		}
		for _, r := range set.Prices {
			is, region := instanceOf(cloud, &set.Pools[r.PoolID])
			if is.GPUs > 0 {
				if first, known := pools[is]; !known || r.PoolID < first {
					pools[is] = r.PoolID
				}
				prices[is], regions[is] = append(prices[is], reference.Price{Instance: is, At: time.UnixMicro(r.T).UTC(), USDPerH: traces.USD(r.PriceNanoUSD)}), region
			}
		}
	}
	var out []priced
	from := firstDays(prices, regions)
	for is, list := range prices {
		list = slices.DeleteFunc(list, func(p reference.Price) bool { return dayOf(&p) < from[regions[is]] })
		if len(list) > 0 {
			out = append(out, priced{region: regions[is], Instance: is, prices: ofEachDay(list), pool: pools[is]})
		}
	}
	slices.SortFunc(out, func(a, b priced) int {
		if a.Cloud == reference.Azure && b.Cloud == reference.Azure {
			return cmp.Compare(a.pool, b.pool)
		}
		return cmp.Or(strings.Compare(a.Cloud, b.Cloud), strings.Compare(a.region, b.region), strings.Compare(a.GPU, b.GPU),
			cmp.Compare(a.GPUs, b.GPUs), strings.Compare(a.Place, b.Place))
	})
	return out, nil
}

// dayOf returns the day of a price since 1970.
func dayOf(p *reference.Price) int64 { return p.At.Unix() / 86400 }

// firstDays returns the first of the published days of each region of AWS.
func firstDays(prices map[reference.Instance][]reference.Price, regions map[reference.Instance]string) map[string]int64 {
	days := map[string][]int64{}
	for is, list := range prices {
		for i := range list {
			if is.Cloud == reference.AWS && is.GPU == "v100" && is.GPUs == 1 {
				days[regions[is]] = append(days[regions[is]], dayOf(&list[i]))
			}
		}
	}
	first := map[string]int64{}
	for region, list := range days {
		slices.Sort(list)
		list = slices.Compact(list)
		first[region] = list[max(len(list)-recordedDays, 0)]
	}
	return first
}

// instanceOf returns what can be rented from a pool, and its region; without GPUs it is nothing that the public code
// reads. Two machine types of Azure with the same GPUs are one.
func instanceOf(cloud string, p *traces.Pool) (is reference.Instance, region string) {
	if cloud == reference.Azure {
		region, _, _ = strings.Cut(p.Name, "/")
		return reference.Instance{Cloud: cloud, Place: region, GPU: strings.ToLower(p.GPUType), GPUs: int(p.GPUCount)}, region
	}
	is = gpusOf[p.InstanceType]
	is.Cloud, is.Place = cloud, p.Zone
	return is, p.Region
}

// ofEachDay returns the last record of each day and the latest of its cheapest ones, in order of time. Of records of
// one instant the cheapest holds.
func ofEachDay(list []reference.Price) (out []reference.Price) {
	for len(list) > 0 {
		n, cheapest := 0, 0
		for ; n < len(list) && dayOf(&list[n]) == dayOf(&list[0]); n++ {
			if list[n].USDPerH <= list[cheapest].USDPerH {
				cheapest = n
			}
		}
		if list[cheapest].At.Before(list[n-1].At) {
			out = append(out, list[cheapest], list[n-1])
		} else {
			out = append(out, list[cheapest])
		}
		list = list[n:]
	}
	return out
}

// markets returns the market of each region of AWS that the traces have.
func markets() (map[string]*reference.Market, error) {
	records, err := priceRecords()
	if err != nil {
		return nil, err
	}
	prices := map[string][]reference.Price{}
	for _, r := range records {
		where := r.region
		if r.Cloud == reference.Azure {
			where = r.Cloud
		}
		prices[where] = append(prices[where], r.prices...)
	}
	out := map[string]*reference.Market{}
	for region, list := range prices {
		if region == reference.Azure {
			continue
		}
		m, err := reference.NewMarket(append(list, prices[reference.Azure]...))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", region, err)
		}
		out[region] = m
	}
	return out, nil
}

// publishedSpeeds returns steps per second on one GPU by model.
func publishedSpeeds() map[string]reference.Speeds {
	type row struct {
		Model string  `col:"model"`
		K80   float64 `col:"k80"`
		P100  float64 `col:"p100"`
		V100  float64 `col:"v100"`
	}
	out := map[string]reference.Speeds{}
	for _, r := range facts.ReadFrom[row](files, "speeds") {
		out[r.Model] = reference.Speeds{"k80": r.K80, "p100": r.P100, "v100": r.V100}
	}
	return out
}

//go:embed *.csv *.yaml
var files embed.FS
