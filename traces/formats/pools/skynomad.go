package pools

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

const probesHeader = "scheduled_at_utc,started_at_utc,ended_at_utc,zone,instances_requested,instances_created," +
	"capacity_exhausted_detected,spot_gpu_price_usd_per_gpu_hour"

// skynomadFormat reads rounds of launches in many zones.
var skynomadFormat = formats.Format{
	Name: "skynomad-probes",
	What: "launch probes (SkyNomad): one JSON object a round with zone_results, or a CSV with one row a round " +
		"and zone; what could be launched and was given back at once, not the lifetime of a machine. " +
		"The instance type is not stated (the option instance-type). Prices are kept only where they are stated " +
		"as the GPU's own, an hour; a machine's price (the key price) is left out, since these files sum it from " +
		"another machine's shape",
	Example: probesHeader + "\n" +
		"2025-10-04T00:10:00.002Z,2025-10-04T00:10:00.005Z,2025-10-04T00:11:25.501Z,us-central1-b,16,13,3,",
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsLaunchProbe,
	Recognise: func(s *read.Source) bool { return s.FirstRecord() == probesHeader || s.TopKey("zone_results") },
	New:       func(b *formats.Builder) formats.Importer { return skynomad{newRounds(b)} },
}

func (b skynomad) Read(s *read.Source) error {
	if s.FirstRecord() == probesHeader {
		return b.readCSV(s)
	}
	return b.readJSON(s)
}

func (b skynomad) readCSV(s *read.Source) error {
	for r := range s.Table() {
		p := probeOf(r)
		if r.Err != nil {
			return r.Err
		}
		if err := b.addProbe(s, p); err != nil {
			return r.Errorf("", "%v", err)
		}
	}
	return nil
}

// probeOf reads a row of the CSV. When a round was scheduled is not kept, as it is for the length of a round that the
// table has its columns.
func probeOf(r *read.Row) (p probe) {
	read.Field(r, "scheduled_at_utc", rfc3339)
	p.row.T = read.Field(r, "started_at_utc", rfc3339)
	p.row.TEnd = new(read.Field(r, "ended_at_utc", rfc3339))
	p.zone = r.Name("zone")
	p.row.Requested = read.Field(r, "instances_requested", read.WholeNumber)
	p.row.Fulfilled = read.Field(r, "instances_created", read.WholeNumber)
	p.row.Exhausted = read.Maybe(r, "capacity_exhausted_detected", read.WholeNumber)
	p.gpu = read.Maybe(r, "spot_gpu_price_usd_per_gpu_hour", traces.ParseUSD)
	p.row.SrcRow = int64(r.Line)
	return p
}

var errRFC3339 = errors.New("expected RFC 3339 with a zone or offset, for instance 2025-10-03T17:10:00.002-07:00")

// rfc3339 reads an instant with a zone or offset in us UTC.
func rfc3339(text string) (int64, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, errRFC3339
	}
	return traces.Instant(t.UTC())
}

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
		p.row.T = r.start
		p.row.TEnd = &r.end
		p.row.SrcRow = int64(i)
		if err := b.addProbe(s, p); err != nil {
			return c.Errorf("%v", err)
		}
	}
	return nil
}

func (b skynomad) readRound(c *read.Cursor) (r probeRound, err error) {
	var scheduled int64 // checked, not kept
	err = c.Fields("the file", read.Fields{
		"scheduled_at": read.To(&scheduled, c.Instant),
		"started_at":   read.To(&r.start, c.Instant),
		"ended_at":     read.To(&r.end, c.Instant),
		"status":       read.To(&r.status, c.TextOf(traces.MaxName)),
		"zone_results": func(key string) error {
			return c.Object(key, func(zone string) error {
				p, err := b.readZone(c, zone)
				r.probes = append(r.probes, p)
				return err
			})
		},
	}, b.Ignore)
	return r, err
}

// readZone reads what a round says of one zone.
func (b skynomad) readZone(c *read.Cursor, zone string) (p probe, err error) {
	if bad := read.CheckName(zone); bad != nil {
		return p, c.Errorf("zone %s, %v", read.Quote(zone), bad)
	}
	p.zone = zone
	var requested, created *int32
	err = c.Fields("zone "+read.Quote(zone), read.Fields{
		"instances_requested":         read.ToNew(&requested, c.Count),
		"instances_created":           read.ToNew(&created, c.Count),
		"capacity_exhausted_detected": read.ToNew(&p.row.Exhausted, c.Count),
		"spot_price_info":             func(string) (err error) { p.gpu, err = b.gpuPrice(c); return err },
	}, func(key string) { b.Ignore("zone_results." + key) })
	if err == nil && (requested == nil || created == nil) {
		err = c.Errorf("zone %s without instances_requested or instances_created, expected both", read.Quote(zone))
	}
	if err == nil {
		p.row.Requested = *requested
		p.row.Fulfilled = *created
	}
	return p, err
}

// gpuPrice reads a price where it is stated as a GPU's own; what is not is
// counted among the fields that are left out.
func (b skynomad) gpuPrice(c *read.Cursor) (gpu *int64, err error) {
	var note, currency string
	err = c.Fields("spot_price_info", read.Fields{
		"currency":                read.To(&currency, c.TextOf(traces.MaxName)),
		"spot_price_usd_per_hour": func(key string) (err error) { gpu, err = optionalPrice(c, key); return err },
		"price": func(key string) error {
			b.Notef("spot_price_info.price is left out: it is summed from the shape of another machine")
			return c.Skip(key)
		},
		"debug_info": func(key string) error {
			return c.Fields(key, read.Fields{"pricing_note": read.To(&note, c.TextOf(read.MaxLine))}, nil)
		},
	}, func(key string) { b.Ignore("spot_price_info." + key) })
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
