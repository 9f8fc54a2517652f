package clouds

import (
	"cmp"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// retailFormat reads answers of the Azure Retail Prices API.
var retailFormat = formats.Format{
	Name: "azure-retail",
	What: "JSON of the Azure Retail Prices API, one page or several in a file: Spot prices of virtual machines " +
		"by the suffix of skuName, Windows by productName; everything else is ignored and counted; a region " +
		"has one price for all its zones",
	Example: `{"BillingCurrency": "USD", "Items": [{"currencyCode": "USD", "retailPrice": 0.90001, ` +
		`"armRegionName": "eastus", "armSkuName": "Standard_NC6s_v3", ` +
		`"skuName": "NC6s v3 Spot", "productName": "Virtual Machines NCSv3 Series", ` +
		`"serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", ` +
		`"type": "Consumption", "effectiveStartDate": "2020-08-01T00:00:00Z"}], "NextPageLink": null, "Count": 1}`,
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsPrices,
	Recognise: func(s *read.Source) bool { return s.TopKey("Items", "NextPageLink") },
	New:       func(b *formats.Builder) formats.Importer { return retail{b} },
	Streams:   true,
}

// retail reads pages.
type retail struct{ *formats.Builder }

func (b retail) Read(s *read.Source) error {
	c := read.NewCursor(s)
	var cut error // where the page before says that another follows
	other := 0
	currency := "" // of the page; the items of some answers leave it to that
	for !c.Done() {
		var next error
		found := false
		err := c.Fields("a page", read.Fields{
			"NextPageLink": func(key string) error {
				link, err := c.Token(key)
				if link != "" {
					next = c.Errorf("NextPageLink %s is not empty: the page was cut and other prices are missing; "+
						"append the next page, or accept the loss (--allow-truncated; allow_truncated in a spec)",
						read.Quote(link))
				}
				return err
			},
			"Items":           read.Seen(&found, c.Each(func() error { return b.item(c, currency, &other) })),
			"BillingCurrency": read.To(&currency, c.Name),
			"Count":           c.Skip,
		}, b.Ignore)
		if err == nil && !found {
			err = c.Errorf("the page has no Items, expected an answer of the Retail Prices API")
		}
		if err != nil {
			return err
		}
		cut = next
	}
	if other > 0 {
		b.Notef("%d items of %s that are no Spot price of a virtual machine: ignored", other, s.Base())
	}
	if cut != nil {
		return b.CutPage(cut)
	}
	return nil
}

// item is what matters of an item of the Retail Prices API.
type item struct {
	region, typ, sku, product, service, kind, unit, currency string
	row                                                      traces.PriceRow
	bad                                                      error // of the price, which matters of Spot only
}

func (b retail) item(c *read.Cursor, currency string, other *int) error {
	it := item{currency: currency, row: traces.PriceRow{T: -1, PriceNanoUSD: -1, SrcFile: c.Source.Index,
		Origin: traces.OriginAPI, Currency: "USD"}}
	texts := map[string]*string{
		"armRegionName": &it.region, "armSkuName": &it.typ, "skuName": &it.sku, "productName": &it.product,
		"serviceName": &it.service,
		"type":        &it.kind, "unitOfMeasure": &it.unit, "currencyCode": &it.currency,
	}
	err := c.Object("an item", func(key string) (err error) {
		text, ok := texts[key]
		switch {
		case ok:
			*text, err = c.Text(key, 4*traces.MaxName)
		case key == "retailPrice":
			err = it.readPrice(c, key)
		case key == "effectiveStartDate":
			it.row.T, err = c.Instant(key)
		default:
			b.Ignore(key)
			err = c.Skip(key)
		}
		return err
	})
	if err != nil {
		return err
	}
	if !it.isSpot() {
		*other++
		return nil
	}
	return b.addItem(c, &it)
}

// readPrice reads a price. What else the API lists has prices that are none of
// a machine, 4E-06 for instance: whether this one can be is for later to say.
func (it *item) readPrice(c *read.Cursor, key string) error {
	text, err := c.Decimal(key)
	if err != nil {
		return err
	}
	nano, bad := traces.ParseUSD(text)
	if it.row.PriceNanoUSD = nano; bad != nil {
		it.bad = c.Errorf("%s %s %v", key, read.Quote(text), bad)
	}
	return nil
}

// isSpot tells Spot machines from the other things that the API lists, Low
// Priority (the older scale-set meter) among them.
func (it *item) isSpot() bool {
	return strings.HasSuffix(it.sku, " Spot") && cmp.Or(it.kind, "Consumption") == "Consumption" &&
		cmp.Or(it.service, "Virtual Machines") == "Virtual Machines"
}

func (b retail) addItem(c *read.Cursor, it *item) error {
	switch {
	case it.bad != nil:
		return it.bad
	case it.row.PriceNanoUSD < 0 || it.row.T < 0 || it.product == "":
		return c.Errorf("the item ends without retailPrice, effectiveStartDate or productName")
	case it.currency != "USD":
		return c.Errorf("currencyCode %s, expected USD: ask with currencyCode='USD'", read.Quote(it.currency))
	case it.unit != "1 Hour":
		return c.Errorf("unitOfMeasure %s, expected 1 Hour", read.Quote(it.unit))
	}
	system := "Linux"
	if strings.Contains(it.product, "Windows") {
		system = "Windows"
	}
	pool, err := addPool(b.Builder, it.region, it.typ, system)
	if err != nil {
		return c.Errorf("%v", err)
	}
	it.row.PoolID = pool
	it.row.SrcRow = int64(c.Line())
	return b.AddPrice(it.row)
}
