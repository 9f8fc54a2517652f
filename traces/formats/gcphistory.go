package formats

import (
	"path"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces"
)

// gcpHistory reads answers of Compute Engine's advice.capacityHistory.
var gcpHistory = Format{
	Name: "gcp-capacity-history",
	What: "JSON of Google Compute Engine's REST method advice.capacityHistory, one answer or several in a file: prices and preemption rates (of the machines that stopped in the interval, the share that was preempted) by interval",
	Example: `{"machineType": "a2-highgpu-1g", "location": "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a", ` +
		`"preemptionHistory": [{"interval": {"startTime": "2026-01-01T08:00:00Z", "endTime": "2026-01-02T08:00:00Z"}, "preemptionRate": 0.25}], ` +
		`"priceHistory": [{"interval": {"startTime": "2026-01-01T08:00:00Z", "endTime": "2026-02-01T08:00:00Z"}, "listPrice": {"currencyCode": "USD", "units": "1", "nanos": 293355000}}]}`,
	Version:   1,
	Recognise: func(s *source) bool { return s.topKey("preemptionHistory", "priceHistory") },
	New:       func(b *Builder) Importer { return gcpHistoryReader{b} },
}

// capacityHistory is one answer. Its rows have no pool yet: machine type and
// location may follow them.
type capacityHistory struct {
	typ, location string
	prices        []traces.PriceRow
	rates         []traces.SignalRow
	end           int64 // of the last interval
}

// gcpHistoryReader reads answers.
type gcpHistoryReader struct{ *Builder }

func (b gcpHistoryReader) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
	c := newCursor(s)
	for !c.done() {
		var h capacityHistory
		err := c.object("the answer", func(key string) (err error) {
			switch key {
			case "machineType":
				h.typ, err = c.name(key)
			case "location":
				h.location, err = c.text(key, 4*traces.MaxName)
			case "priceHistory":
				return c.array(key, func() error { return b.historyPrice(c, &h) })
			case "preemptionHistory":
				return c.array(key, func() error { return b.historyRate(c, &h) })
			default:
				b.Ignore(key)
				err = c.skip(key)
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := b.addHistory(c, &h); err != nil {
			return err
		}
	}
	return nil
}

// addHistory gives an answer's rows their pool.
func (b gcpHistoryReader) addHistory(c *cursor, h *capacityHistory) error {
	at := path.Base(h.location)
	if h.typ == "" || checkName(at) != nil || h.location == "" {
		return c.errorf("the answer ends without machineType, or without a location such as zones/us-central1-a")
	}
	p := traces.Pool{Name: traces.PoolName(at, h.typ, ""), Cloud: "gcp", InstanceType: h.typ, Region: at}
	if _, cloud := regionOf(at); cloud != "" || strings.Contains(h.location, "zones/") {
		p.Zone, p.Region = at, ""
	}
	pool := b.Pool(p)
	for i := range h.prices {
		h.prices[i].PoolID = pool
	}
	for i := range h.rates {
		h.rates[i].PoolID = pool
	}
	b.ObservedUntil(pool, h.end)
	b.AddSignals(h.rates...)
	return b.AddPrice(h.prices...)
}

// interval reads from when to when a record holds.
func (h *capacityHistory) interval(c *cursor) (start int64, err error) {
	start, end := int64(-1), int64(-1)
	err = c.object("an interval", func(key string) (err error) {
		switch key {
		case "startTime":
			start, err = c.instant(key)
		case "endTime":
			end, err = c.instant(key)
		default:
			err = c.skip(key)
		}
		return err
	})
	if err == nil && (start < 0 || end <= start) {
		err = c.errorf("interval from %s to %s, expected startTime and a later endTime", traces.Stamp(max(start, 0)), traces.Stamp(max(end, 0)))
	}
	h.end = max(h.end, end)
	return start, err
}

func (b gcpHistoryReader) historyRate(c *cursor, h *capacityHistory) error {
	r := traces.SignalRow{T: -1, SrcFile: c.src.index, Origin: traces.OriginAPI, Name: "preemption_rate", Unit: "1"}
	err := c.object("a record of preemptions", func(key string) (err error) {
		switch key {
		case "interval":
			r.T, err = h.interval(c)
		case "preemptionRate":
			var x float64
			x, err = c.between(key, 0, 1)
			r.Value = &x
		default:
			b.Ignore(key)
			err = c.skip(key)
		}
		return err
	})
	if err == nil && (r.T < 0 || r.Value == nil) {
		err = c.errorf("the record ends without interval or preemptionRate")
	}
	r.SrcRow = int64(c.line())
	h.rates = append(h.rates, r)
	return err
}

func (b gcpHistoryReader) historyPrice(c *cursor, h *capacityHistory) error {
	r := traces.PriceRow{T: -1, PriceNanoUSD: -1, SrcFile: c.src.index, Origin: traces.OriginAPI, Currency: "USD"}
	err := c.object("a record of prices", func(key string) (err error) {
		switch key {
		case "interval":
			r.T, err = h.interval(c)
		case "listPrice":
			r.PriceNanoUSD, err = money(c, key)
		default:
			b.Ignore(key)
			err = c.skip(key)
		}
		return err
	})
	if err == nil && (r.T < 0 || r.PriceNanoUSD < 0) {
		err = c.errorf("the record ends without interval or listPrice")
	}
	r.SrcRow = int64(c.line())
	h.prices = append(h.prices, r)
	return err
}

// money reads an amount of Google's: whole units as text or number, and nanos.
// What is 0 may be left out.
func money(c *cursor, what string) (int64, error) {
	var units, nanos int64
	currency := ""
	err := c.object(what, func(key string) (err error) {
		switch key {
		case "currencyCode":
			currency, err = c.name(key)
		case "units":
			if units, err = c.usdNumber(key); err == nil && units%traces.NanoPerUSD != 0 {
				err = c.errorf("units are no whole number")
			}
		case "nanos":
			var text string
			if text, err = c.number(key); err != nil {
				return err
			}
			if nanos, err = strconv.ParseInt(text, 10, 64); err != nil || nanos < 0 || nanos >= traces.NanoPerUSD {
				err = c.errorf("nanos %s, expected a whole number from 0 to 999999999", quote(text))
			}
		default:
			err = c.skip(key)
		}
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case currency != "USD":
		return 0, c.errorf("currencyCode of %s %s, expected USD", what, quote(currency))
	case units+nanos > traces.MaxPriceNano:
		return 0, c.errorf("%s is not believable, expected 0 to 10000 USD per hour", what)
	}
	return units + nanos, nil
}
