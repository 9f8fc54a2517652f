package formats

import (
	"strings"

	"github.com/marigram/marigram/traces"
)

// azureGraph reads answers of Azure's Resource Graph about Spot machines.
var azureGraph = Format{
	Name: "azure-graph",
	What: "JSON of an Azure Resource Graph query of SpotResources: price history (properties.spotPrices, or a column spotPrices, with effectiveDate or timestamp) and eviction rates (percent an hour over the trailing 28 days, as bands; the option end says when they were asked for)",
	Example: `{"data": [{"type": "microsoft.compute/skuspotpricehistory/ostype/location", "location": "eastus", "sku": {"name": "standard_nc6s_v3"}, ` +
		`"properties": {"osType": "linux", "spotPrices": [{"effectiveDate": "2024-01-01T00:00:00Z", "priceUSD": 0.90001}]}}]}`,
	Version:   1,
	Recognise: func(s *source) bool { return s.topKey("data") && s.holds("skuspot", `"spotprices"`, `evictionrate"`) },
	New:       func(b *Builder) Importer { return azureGraphReader{b} },
}

// azureGraphReader reads answers.
type azureGraphReader struct{ *Builder }

func (b azureGraphReader) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
	c := newCursor(s)
	var cut error
	for !c.done() {
		cut = nil
		found := false
		err := c.object("the answer", func(key string) error {
			switch key {
			case "data":
				found = true
				return c.array(key, func() error { return b.graphRow(c) })
			case "$skipToken", "skip_token", "skipToken":
				token, err := c.token(key)
				if token != "" {
					cut = c.errorf("%s %s is not empty: the answer was cut; append the next page, or accept the loss (--allow-truncated; allow_truncated in a spec)", key, quote(token))
				}
				return err
			case "count", "totalRecords", "total_records", "facets":
				return c.skip(key)
			}
			b.Ignore(key)
			return c.skip(key)
		})
		if err == nil && !found {
			err = c.errorf("the answer has no data, expected one of the Resource Graph")
		}
		if err != nil {
			return err
		}
	}
	if cut != nil {
		return b.CutPage(cut)
	}
	return nil
}

// graphRow is one row of an answer: whole, or with columns of its own.
type graphRow struct {
	typ, region, system, eviction string
	prices                        []traces.PriceRow
}

func (b azureGraphReader) graphRow(c *cursor) error {
	var r graphRow
	if err := b.graphObject(c, "a row", &r); err != nil {
		return err
	}
	if r.typ == "" || r.region == "" || r.prices == nil && r.eviction == "" {
		return c.errorf("the row ends without sku.name (skuName), location, or one of spotPrices and evictionRate")
	}
	pool, err := azurePool(b.Builder, r.region, r.typ, azureSystem(r.system))
	if err != nil {
		return c.errorf("%v", err)
	}
	for i := range r.prices {
		r.prices[i].PoolID = pool
	}
	if err := b.AddPrice(r.prices...); err != nil {
		return err
	}
	if r.eviction != "" {
		return b.addEviction(c, pool, r.eviction)
	}
	return nil
}

// azureSystem returns the operating system as the price lists write it.
func azureSystem(osType string) string {
	switch strings.ToLower(osType) {
	case "linux", "":
		return "Linux" // an eviction rate is of the machine type
	case "windows":
		return "Windows"
	}
	return osType
}

// graphObject reads a row or its properties.
func (b azureGraphReader) graphObject(c *cursor, what string, r *graphRow) error {
	return c.object(what, func(key string) (err error) {
		switch key {
		case "skuName":
			r.typ, err = c.name(key)
		case "sku":
			return c.object(key, func(key string) (err error) {
				if key != "name" {
					return c.skip(key)
				}
				r.typ, err = c.name("sku.name")
				return err
			})
		case "location":
			r.region, err = c.name(key)
		case "osType":
			r.system, err = c.name(key)
		case "evictionRate", "spotEvictionRate":
			r.eviction, err = c.name(key)
		case "spotPrices":
			r.prices = []traces.PriceRow{}
			return c.array(key, func() error { return b.graphPrice(c, r) })
		case "properties":
			return b.graphObject(c, key, r)
		default:
			err = c.skip(key) // identities of the resource: id, tenantId, resourceGroup
		}
		return err
	})
}

func (b azureGraphReader) graphPrice(c *cursor, r *graphRow) error {
	p := traces.PriceRow{T: -1, PriceNanoUSD: -1, SrcFile: c.src.index, Origin: traces.OriginAPI, Currency: "USD"}
	err := c.object("a price", func(key string) (err error) {
		switch key {
		case "priceUSD":
			p.PriceNanoUSD, err = c.usdNumber(key)
		case "effectiveDate", "timestamp":
			p.T, err = c.instant(key)
		default:
			b.Ignore("spotPrices." + key)
			err = c.skip(key)
		}
		return err
	})
	if err == nil && (p.T < 0 || p.PriceNanoUSD < 0) {
		err = c.errorf("the price ends without priceUSD, or without effectiveDate or timestamp")
	}
	p.SrcRow = int64(c.line())
	r.prices = append(r.prices, p)
	return err
}

// addEviction adds an eviction rate, which does not say when it was asked for.
func (b azureGraphReader) addEviction(c *cursor, pool int32, band string) error {
	lo, hi, err := percentBand(band)
	if err != nil {
		return c.errorf("evictionRate %s, %v", quote(band), err)
	}
	if b.Options.End.IsZero() {
		return c.errorf("an eviction rate does not say when it holds, expected the option end (--end), the instant of the query")
	}
	b.AddSignals(traces.SignalRow{
		T: b.Options.End.UnixMicro(), PoolID: pool, SrcFile: c.src.index, SrcRow: int64(c.line()), Origin: traces.OriginAPI,
		Name: "eviction_rate", Unit: "percent_per_hour", Lo: lo, Hi: hi,
	})
	return nil
}
