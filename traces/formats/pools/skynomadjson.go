package pools

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// gpuPricing is how a round says that a price is a GPU's own.
const gpuPricing = "GPU component pricing"

// probeRound is one object of the JSON form.
type probeRound struct {
	start, end int64
	status     string
	probes     []probe
}

func (b skynomad) readJSON(s *read.Source) error {
	c := read.NewCursor(s)
	r, err := b.readRound(c)
	switch {
	case err != nil:
		return err
	case !c.Done():
		return c.Errorf("more text follows the object, expected one round a file")
	case r.start == 0 || r.end == 0:
		return c.Errorf("started_at or ended_at is missing, expected both")
	case len(r.probes) == 0:
		return c.Errorf("zone_results is missing or empty, expected an object of zones")
	}
	if r.status != "" && r.status != "success" {
		b.Notef("rounds whose status is %s are kept as they stand", read.Quote(r.status))
	}
	for i, p := range r.probes {
		p.row.T, p.row.TEnd, p.row.SrcRow = r.start, &r.end, int64(i)
		err := p.check()
		if err == nil {
			err = b.addProbe(s, p)
		}
		if err != nil {
			return c.Errorf("%v", err)
		}
	}
	return nil
}

func (b skynomad) readRound(c *read.Cursor) (r probeRound, err error) {
	err = c.Object("the file", func(key string) (err error) {
		switch key {
		case "scheduled_at": // checked, not kept
			_, err = c.Instant(key)
		case "started_at":
			r.start, err = c.Instant(key)
		case "ended_at":
			r.end, err = c.Instant(key)
		case "status":
			r.status, err = c.Text(key, traces.MaxName)
		case "zone_results":
			err = c.Object(key, func(zone string) error {
				p, err := b.readZone(c, zone)
				r.probes = append(r.probes, p)
				return err
			})
		default:
			b.Ignore(key)
			err = c.Skip(key)
		}
		return err
	})
	return r, err
}

// readZone reads what a round says of one zone.
func (b skynomad) readZone(c *read.Cursor, zone string) (p probe, err error) {
	if bad := read.CheckName(zone); bad != nil {
		return p, c.Errorf("zone %s, %v", read.Quote(zone), bad)
	}
	p.zone = zone
	var seen [2]bool
	err = c.Object("zone "+read.Quote(zone), func(key string) (err error) {
		switch key {
		case "instances_requested":
			seen[0] = true
			p.row.Requested, err = c.Count(key)
		case "instances_created":
			seen[1] = true
			p.row.Fulfilled, err = c.Count(key)
		case "capacity_exhausted_detected":
			var n int32
			n, err = c.Count(key)
			p.row.Exhausted = &n
		case "spot_price_info":
			p.gpu, err = b.gpuPrice(c)
		default:
			b.Ignore("zone_results." + key)
			err = c.Skip(key)
		}
		return err
	})
	if err == nil && (!seen[0] || !seen[1]) {
		err = c.Errorf("zone %s without instances_requested or instances_created, expected both", read.Quote(zone))
	}
	return p, err
}

// gpuPrice reads a price where it is stated as a GPU's own; what is not is
// counted among the fields that are left out.
func (b skynomad) gpuPrice(c *read.Cursor) (gpu *int64, err error) {
	var note, currency string
	err = c.Object("spot_price_info", func(key string) (err error) {
		switch key {
		case "currency":
			currency, err = c.Text(key, traces.MaxName)
		case "spot_price_usd_per_hour":
			gpu, err = optionalPrice(c, key)
		case "price":
			b.Notef("spot_price_info.price is left out: it is summed from the shape of another machine")
			err = c.Skip(key)
		case "debug_info":
			err = c.Object(key, func(key string) (err error) {
				if key == "pricing_note" {
					note, err = c.Text(key, read.MaxLine)
					return err
				}
				return c.Skip(key)
			})
		default:
			b.Ignore("spot_price_info." + key)
			err = c.Skip(key)
		}
		return err
	})
	if err == nil && gpu != nil && currency != "USD" {
		err = c.Errorf("price in currency %s, expected USD", read.Quote(currency))
	}
	if gpu != nil && !strings.HasPrefix(note, gpuPricing) {
		b.Notef("prices that are not stated to be a GPU's own are left out: whose they are is not known")
		gpu = nil
	}
	return gpu, err
}

// optionalPrice reads a number of USD, or null.
func optionalPrice(c *read.Cursor, what string) (*int64, error) {
	tok, err := c.Next()
	if err != nil || tok == nil {
		return nil, err
	}
	nano, bad := traces.ParseUSD(fmt.Sprint(tok))
	if _, isText := tok.(string); bad != nil || isText {
		return nil, c.Errorf("%s is %s, expected a price above 0 or null", what, read.Describe(tok))
	}
	return &nano, nil
}

// skynomad reads rounds.
type skynomad struct{ *rounds }
