package clouds

import (
	"path"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// traceFormat reads answers of Compute Engine's advice.capacityHistory.
var traceFormat = formats.Format{
	Name: "gcp-capacity-history",
	What: "JSON of Google Compute Engine's REST method advice.capacityHistory, one answer or several in a " +
		"file: prices and preemption rates (of the machines that stopped in the interval, the share that was " +
		"preempted) by interval",
	Example: `{"machineType": "a2-highgpu-1g", "location": "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a", ` +
		`"preemptionHistory": [{"interval": {"startTime": "2026-01-01T08:00:00Z", "endTime": "2026-01-02T08:00:00Z"}, "preemptionRate": 0.25}], ` +
		`"priceHistory": [{"interval": {"startTime": "2026-01-01T08:00:00Z", "endTime": "2026-02-01T08:00:00Z"}, "listPrice": {"currencyCode": ` +
		`"USD", "units": "1", "nanos": 293355000}}]}`,
	Version:   1,
	Recognise: func(s *read.Source) bool { return s.TopKey("preemptionHistory", "priceHistory") },
	New:       func(b *formats.Builder) formats.Importer { return trace{b} },
}

// capacityHistory is one answer. Its rows have no pool yet: machine type and
// location may follow them.
type capacityHistory struct {
	typ, location string
	prices        []traces.PriceRow
	rates         []traces.SignalRow
	end           int64 // of the last interval
}

// trace reads answers.
type trace struct{ *formats.Builder }

func (b trace) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsPrices
	c := read.NewCursor(s)
	for !c.Done() {
		var h capacityHistory
		err := c.Fields("the answer", read.Fields{
			"machineType":       read.To(&h.typ, c.Name),
			"location":          read.To(&h.location, c.TextOf(4*traces.MaxName)),
			"priceHistory":      c.Each(func() error { return b.tracePrice(c, &h) }),
			"preemptionHistory": c.Each(func() error { return b.traceRate(c, &h) }),
		}, b.Ignore)
		if err != nil {
			return err
		}
		if err := b.addTrace(c, &h); err != nil {
			return err
		}
	}
	return nil
}

// addTrace gives an answer's rows their pool.
func (b trace) addTrace(c *read.Cursor, h *capacityHistory) error {
	at := path.Base(h.location)
	if h.typ == "" || read.CheckName(at) != nil || h.location == "" {
		return c.Errorf("the answer ends without machineType, or without a location such as zones/us-central1-a")
	}
	p := traces.Pool{Name: traces.PoolName(at, h.typ, ""), Cloud: "gcp", InstanceType: h.typ, Region: at}
	if _, cloud := read.RegionOf(at); cloud != "" || strings.Contains(h.location, "zones/") {
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

// interval reads from when to when a record holds, and returns when it begins.
func (h *capacityHistory) interval(c *read.Cursor) func(what string) (int64, error) {
	return func(string) (int64, error) {
		start, end := int64(-1), int64(-1)
		err := c.Fields("an interval", read.Fields{"startTime": read.To(&start, c.Instant), "endTime": read.To(&end, c.Instant)}, nil)
		if err == nil && (start < 0 || end <= start) {
			err = c.Errorf("interval from %s to %s, expected startTime and a later endTime", traces.Stamp(max(start, 0)),
				traces.Stamp(max(end, 0)))
		}
		h.end = max(h.end, end)
		return start, err
	}
}

func (b trace) traceRate(c *read.Cursor, h *capacityHistory) error {
	r := traces.SignalRow{T: -1, SrcFile: c.Source.Index, Origin: traces.OriginAPI, Name: "preemption_rate", Unit: "1"}
	err := c.Fields("a record of preemptions", read.Fields{
		"interval":       read.To(&r.T, h.interval(c)),
		"preemptionRate": read.ToNew(&r.Value, c.In(0, 1)),
	}, b.Ignore)
	if err == nil && (r.T < 0 || r.Value == nil) {
		err = c.Errorf("the record ends without interval or preemptionRate")
	}
	r.SrcRow = int64(c.Line())
	h.rates = append(h.rates, r)
	return err
}

func (b trace) tracePrice(c *read.Cursor, h *capacityHistory) error {
	r := traces.PriceRow{T: -1, PriceNanoUSD: -1, SrcFile: c.Source.Index, Origin: traces.OriginAPI, Currency: "USD"}
	err := c.Fields("a record of prices", read.Fields{
		"interval":  read.To(&r.T, h.interval(c)),
		"listPrice": read.To(&r.PriceNanoUSD, func(key string) (int64, error) { return money(c, key) }),
	}, b.Ignore)
	if err == nil && (r.T < 0 || r.PriceNanoUSD < 0) {
		err = c.Errorf("the record ends without interval or listPrice")
	}
	r.SrcRow = int64(c.Line())
	h.prices = append(h.prices, r)
	return err
}

// money reads an amount of Google's: whole units as text or number, and nanos.
// What is 0 may be left out.
func money(c *read.Cursor, what string) (int64, error) {
	var units, nanos int64
	currency := ""
	err := c.Fields(what, read.Fields{
		"currencyCode": read.To(&currency, c.Name),
		"units": func(key string) (err error) {
			if units, err = c.USDNumber(key); err == nil && units%traces.NanoPerUSD != 0 {
				err = c.Errorf("units are no whole number")
			}
			return err
		},
		"nanos": func(key string) error {
			text, err := c.Number(key)
			if err != nil {
				return err
			}
			if nanos, err = strconv.ParseInt(text, 10, 64); err != nil || nanos < 0 || nanos >= traces.NanoPerUSD {
				return c.Errorf("nanos %s, expected a whole number from 0 to 999999999", read.Quote(text))
			}
			return nil
		},
	}, nil)
	switch {
	case err != nil:
		return 0, err
	case currency != "USD":
		return 0, c.Errorf("currencyCode of %s %s, expected USD", what, read.Quote(currency))
	case units+nanos > traces.MaxPriceNano:
		return 0, c.Errorf("%s is out of range, expected 0 to 10000 USD per hour", what)
	}
	return units + nanos, nil
}
