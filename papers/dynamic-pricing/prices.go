package dynamicpricing

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/papers/dynamic-pricing/reference"
)

// priced is one place of the facts with its prices.
type priced struct {
	region string
	reference.Instance
	prices []reference.Price
}

// firstDay is that of the facts.
var firstDay = time.Date(2020, 2, 18, 0, 0, 0, 0, time.UTC)

// priceRecords reads the facts.
func priceRecords() ([]priced, error) {
	type row struct {
		Cloud  string `col:"cloud"`
		Region string `col:"region"`
		Place  string `col:"place"`
		GPU    string `col:"gpu"`
		GPUs   int    `col:"gpus"`
		Prices string `col:"prices"`
	}
	var out []priced
	for _, r := range facts.ReadFrom[row](files, "prices") {
		p := priced{region: r.Region, Instance: reference.Instance{Cloud: r.Cloud, Place: r.Place, GPU: r.GPU, GPUs: r.GPUs}}
		var err error
		if p.prices, err = recordsOf(r.Prices, p.Instance); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Place, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// markets returns the market of each region of AWS that the facts have.
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

// recordsOf reads records such as 34935=0.3633: seconds since the first day, USD per hour.
func recordsOf(text string, at reference.Instance) ([]reference.Price, error) {
	var list []reference.Price
	for _, record := range strings.Fields(text) {
		since, price, _ := strings.Cut(record, "=")
		s, err := strconv.Atoi(since)
		if err != nil {
			return nil, err
		}
		usd, err := strconv.ParseFloat(price, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, reference.Price{Instance: at, At: firstDay.Add(time.Duration(s) * time.Second), USDPerH: usd})
	}
	return list, nil
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
