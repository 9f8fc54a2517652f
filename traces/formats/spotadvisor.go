package formats

import (
	"slices"
	"strconv"

	"github.com/marigram/marigram/traces"
)

// spotAdvisor reads the data of AWS's Spot Instance Advisor.
var spotAdvisor = Format{
	Name: "spot-advisor",
	What: "JSON of the AWS Spot Instance Advisor (spot-advisor-data.json), one snapshot a file: bands of interruptions, percent of machines a month, and savings against on-demand; the option start says when it was taken; a prior to judge by, not events",
	Example: `{"instance_types": {"p3.2xlarge": {"cores": 8, "ram_gb": 61, "emr": true}}, "ranges": [{"index": 0, "label": "<5%", "dots": 0, "max": 5}, {"index": 4, "label": ">20%", "dots": 4, "max": 100}], ` +
		`"spot_advisor": {"us-east-1": {"Linux": {"p3.2xlarge": {"s": 64, "r": 4}}}}, "global_rate": "<10%"}`,
	Version:   1,
	Recognise: func(s *source) bool { return s.topKey("spot_advisor", "instance_types", "ranges") },
	New:       func(b *Builder) Importer { return advisorReader{b} },
}

// Bounds on the advisor's data: regions, types of a region.
const maxAdvisorKeys = 1 << 14

// advised is one entry of the advisor. Its band is an index into the ranges,
// which may follow it.
type advised struct {
	region, system, typ string
	band                int32
	savings             float64
	line                int64
}

// advisorBand is one of the ranges.
type advisorBand struct {
	index  int32
	lo, hi *float64
}

// advisorReader reads snapshots.
type advisorReader struct{ *Builder }

func (b advisorReader) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsUnknown
	if b.Options.Start.IsZero() {
		b.Notef("the snapshot does not say when it was taken (the option start): it is put at the beginning of a relative clock")
	}
	c := newCursor(s)
	var entries []advised
	var bands []advisorBand
	err := c.object("the file", func(key string) error {
		switch key {
		case "ranges":
			return c.array(key, func() error { return readBand(c, &bands) })
		case "spot_advisor":
			return readAdvisor(c, &entries)
		case "instance_types", "global_rate":
			return c.skip(key)
		}
		b.Ignore(key)
		return c.skip(key)
	})
	switch {
	case err != nil:
		return err
	case !c.done():
		return c.errorf("more text follows the object, expected one snapshot a file")
	case len(entries) == 0:
		return c.errorf("spot_advisor is missing or empty")
	}
	return b.addAdvised(s, entries, bands)
}

func readBand(c *cursor, bands *[]advisorBand) error {
	band, label := advisorBand{index: -1}, ""
	err := c.object("a range", func(key string) (err error) {
		switch key {
		case "index":
			band.index, err = c.count(key)
		case "label":
			if label, err = c.name(key); err != nil {
				return err
			}
			if band.lo, band.hi, err = percentBand(label); err != nil {
				err = c.errorf("label %s, %v", quote(label), err)
			}
		default:
			err = c.skip(key)
		}
		return err
	})
	if err == nil && (band.index < 0 || label == "") {
		err = c.errorf("the range ends without index or label")
	}
	*bands = append(*bands, band)
	return err
}

// readAdvisor reads region, operating system, type.
func readAdvisor(c *cursor, entries *[]advised) error {
	return c.members("spot_advisor", maxAdvisorKeys, func(region string) error {
		return c.object("a region", func(system string) error {
			return c.members("an operating system", maxAdvisorKeys, func(typ string) error {
				e := advised{region: region, system: system, typ: typ, band: -1}
				if err := e.read(c); err != nil {
					return err
				}
				*entries = append(*entries, e)
				return nil
			})
		})
	})
}

func (e *advised) read(c *cursor) error {
	for _, name := range []string{e.region, e.system, e.typ} {
		if err := checkName(name); err != nil {
			return c.errorf("%s, %v", quote(name), err)
		}
	}
	saved := false
	err := c.object("an entry", func(key string) (err error) {
		switch key {
		case "r":
			e.band, err = c.count(key)
		case "s": // below 0 where Spot costs more than on demand
			e.savings, err = c.between(key, -10_000, 100)
			saved = true
		default:
			err = c.skip(key)
		}
		return err
	})
	if err == nil && (e.band < 0 || !saved) {
		err = c.errorf("the entry of %s ends without r or s", quote(e.typ))
	}
	e.line = int64(c.line())
	return err
}

func (b advisorReader) addAdvised(s *source, entries []advised, bands []advisorBand) error {
	at := b.Beginning(s)
	for i := range entries {
		e := &entries[i]
		k := slices.IndexFunc(bands, func(band advisorBand) bool { return band.index == e.band })
		if k < 0 {
			return s.errorf(int(e.line), 1, "band %s of %s in %s is none of the ranges", strconv.Itoa(int(e.band)), e.typ, e.region)
		}
		pool := b.Pool(traces.Pool{
			Name: traces.PoolName(e.region, e.typ, e.system), Cloud: "aws", Region: e.region, InstanceType: e.typ, Product: e.system,
		})
		index := float64(e.band)
		row := traces.SignalRow{T: at, PoolID: pool, SrcFile: s.index, SrcRow: e.line, Origin: traces.OriginAPI}
		band, savings := row, row
		band.Name, band.Unit, band.Value, band.Lo, band.Hi = "if_band", "percent_per_month", &index, bands[k].lo, bands[k].hi
		savings.Name, savings.Unit, savings.Value = "savings", "percent", &e.savings
		b.AddSignals(band, savings)
	}
	return nil
}
