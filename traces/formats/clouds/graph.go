package clouds

import (
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// graphFormat reads answers of Azure's Resource Graph about Spot machines.
var graphFormat = formats.Format{
	Name: "azure-graph",
	What: "JSON of an Azure Resource Graph query of SpotResources: price history (properties.spotPrices, or a " +
		"column spotPrices, with effectiveDate or timestamp) and eviction rates (percent an hour over the " +
		"trailing 28 days, as bands; the option end says when they were asked for)",
	Example: `{"data": [{"type": "microsoft.compute/skuspotpricehistory/ostype/location", "location": "eastus", "sku": {"name": "standard_nc6s_v3"}, ` +
		`"properties": {"osType": "linux", "spotPrices": [{"effectiveDate": "2024-01-01T00:00:00Z", "priceUSD": 0.90001}]}}]}`,
	Version: 1,
	Recognise: func(s *read.Source) bool {
		return s.TopKey("data") && s.Holds("skuspot", `"spotprices"`, `evictionrate"`)
	},
	New: func(b *formats.Builder) formats.Importer { return graph{b} },
}

// graph reads answers.
type graph struct{ *formats.Builder }

func (b graph) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
	c := read.NewCursor(s)
	var cut error
	for !c.Done() {
		cut = nil
		found := false
		token := func(key string) error {
			token, err := c.Token(key)
			if token != "" {
				cut = c.Errorf("%s %s is not empty: the answer was cut; append the next page, or accept the loss "+
					"(--allow-truncated; allow_truncated in a spec)", key, read.Quote(token))
			}
			return err
		}
		err := c.Fields("the answer", read.Fields{
			"data":       read.Seen(&found, c.Each(func() error { return b.graphRow(c) })),
			"$skipToken": token, "skip_token": token, "skipToken": token,
			"count": c.Skip, "totalRecords": c.Skip, "total_records": c.Skip, "facets": c.Skip,
		}, b.Ignore)
		if err == nil && !found {
			err = c.Errorf("the answer has no data, expected one of the Resource Graph")
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

func (b graph) graphRow(c *read.Cursor) error {
	var r graphRow
	if err := b.graphObject(c, "a row", &r); err != nil {
		return err
	}
	if r.typ == "" || r.region == "" || r.prices == nil && r.eviction == "" {
		return c.Errorf("the row ends without sku.name (skuName), location, or one of spotPrices and evictionRate")
	}
	pool, err := addPool(b.Builder, r.region, r.typ, system(r.system))
	if err != nil {
		return c.Errorf("%v", err)
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

// system returns the operating system as the price lists write it.
func system(osType string) string {
	switch strings.ToLower(osType) {
	case "linux", "":
		return "Linux" // an eviction rate is of the machine type
	case "windows":
		return "Windows"
	}
	return osType
}

// graphObject reads a row or its properties.
func (b graph) graphObject(c *read.Cursor, what string, r *graphRow) error {
	rate := read.To(&r.eviction, c.Name)
	return c.Fields(what, read.Fields{ // others are identities of the resource: id, tenantId, resourceGroup
		"skuName": read.To(&r.typ, c.Name), "location": read.To(&r.region, c.Name), "osType": read.To(&r.system, c.Name),
		"sku": func(key string) error {
			return c.Fields(key, read.Fields{"name": func(string) error { return read.To(&r.typ, c.Name)("sku.name") }}, nil)
		},
		"evictionRate": rate, "spotEvictionRate": rate,
		"spotPrices": func(key string) error {
			r.prices = []traces.PriceRow{}
			return c.Array(key, func() error { return b.graphPrice(c, r) })
		},
		"properties": func(key string) error { return b.graphObject(c, key, r) },
	}, nil)
}

func (b graph) graphPrice(c *read.Cursor, r *graphRow) error {
	p := traces.PriceRow{T: -1, PriceNanoUSD: -1, SrcFile: c.Source.Index, Origin: traces.OriginAPI, Currency: "USD"}
	at := read.To(&p.T, c.Instant)
	err := c.Fields("a price", read.Fields{"priceUSD": read.To(&p.PriceNanoUSD, c.USDNumber), "effectiveDate": at, "timestamp": at},
		func(key string) { b.Ignore("spotPrices." + key) })
	if err == nil && (p.T < 0 || p.PriceNanoUSD < 0) {
		err = c.Errorf("the price ends without priceUSD, or without effectiveDate or timestamp")
	}
	p.SrcRow = int64(c.Line())
	r.prices = append(r.prices, p)
	return err
}

// addEviction adds an eviction rate, which does not say when it was asked for.
func (b graph) addEviction(c *read.Cursor, pool int32, band string) error {
	lo, hi, err := read.PercentBand(band)
	if err != nil {
		return c.Errorf("evictionRate %s, %v", read.Quote(band), err)
	}
	if b.Options.End.IsZero() {
		return c.Errorf("an eviction rate does not say when it holds, expected the option end (--end), the " +
			"instant of the query")
	}
	b.AddSignals(traces.SignalRow{
		T: b.Options.End.UnixMicro(), PoolID: pool, SrcFile: c.Source.Index, SrcRow: int64(c.Line()),
		Origin: traces.OriginAPI,
		Name:   "eviction_rate", Unit: "percent_per_hour", Lo: lo, Hi: hi,
	})
	return nil
}
