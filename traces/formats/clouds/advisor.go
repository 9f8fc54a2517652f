package clouds

import (
	"slices"
	"strconv"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// spotAdvisor reads the data of AWS's Spot Instance Advisor.
var spotAdvisor = formats.Format{
	Name: "spot-advisor",
	What: "JSON of the AWS Spot Instance Advisor (spot-advisor-data.json), one snapshot a file: bands of " +
		"interruptions, percent of machines a month, and savings against on-demand; the option start says when it " +
		"was taken; statistics, not events",
	Example: `{"instance_types": {"p3.2xlarge": {"cores": 8, "ram_gb": 61, "emr": true}}, "ranges": [{"index": 0, "label": "<5%", "dots": 0, ` +
		`"max": 5}, {"index": 4, "label": ">20%", "dots": 4, "max": 100}], ` +
		`"spot_advisor": {"us-east-1": {"Linux": {"p3.2xlarge": {"s": 64, "r": 4}}}}, "global_rate": "<10%"}`,
	Version:   1,
	Recognise: func(s *read.Source) bool { return s.TopKey("spot_advisor", "instance_types", "ranges") },
	New:       func(b *formats.Builder) formats.Importer { return advisor{b} },
}

// Bounds on the advisor's data: regions, types of a region.
const maxAdvisorKeys = 1 << 14

// advised is one entry of the advisor. Its band is an index into the ranges,
// which may follow it.
type advised struct {
	region, system, typ string
	band                int32
	savings             *float64
	line                int64
}

// advisorBand is one of the ranges.
type advisorBand struct {
	index  int32
	lo, hi *float64
}

// advisor reads snapshots.
type advisor struct{ *formats.Builder }

func (b advisor) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsUnknown
	if b.Options.Start.IsZero() {
		b.Notef("the snapshot does not say when it was taken (the option start): it is put at the beginning of a " +
			"relative clock")
	}
	c := read.NewCursor(s)
	var entries []advised
	var bands []advisorBand
	err := c.Fields("the file", read.Fields{
		"ranges":         c.Each(func() error { return readBand(c, &bands) }),
		"spot_advisor":   func(string) error { return readAdvisor(c, &entries) },
		"instance_types": c.Skip, "global_rate": c.Skip,
	}, b.Ignore)
	switch {
	case err != nil:
		return err
	case !c.Done():
		return c.Errorf("more text follows the object, expected one snapshot a file")
	case len(entries) == 0:
		return c.Errorf("spot_advisor is missing or empty")
	}
	return b.addAdvised(s, entries, bands)
}

func readBand(c *read.Cursor, bands *[]advisorBand) error {
	band, label := advisorBand{index: -1}, ""
	err := c.Fields("a range", read.Fields{
		"index": read.To(&band.index, c.Count),
		"label": func(key string) (err error) {
			if label, err = c.Name(key); err != nil {
				return err
			}
			if band.lo, band.hi, err = read.PercentBand(label); err != nil {
				err = c.Errorf("label %s, %v", read.Quote(label), err)
			}
			return err
		},
	}, nil)
	if err == nil && (band.index < 0 || label == "") {
		err = c.Errorf("the range ends without index or label")
	}
	*bands = append(*bands, band)
	return err
}

// readAdvisor reads region, operating system, type.
func readAdvisor(c *read.Cursor, entries *[]advised) error {
	return c.Members("spot_advisor", maxAdvisorKeys, func(region string) error {
		return c.Object("a region", func(system string) error {
			return c.Members("an operating system", maxAdvisorKeys, func(typ string) error {
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

func (e *advised) read(c *read.Cursor) error {
	for _, name := range []string{e.region, e.system, e.typ} {
		if err := read.CheckName(name); err != nil {
			return c.Errorf("%s, %v", read.Quote(name), err)
		}
	}
	err := c.Fields("an entry", read.Fields{
		"r": read.To(&e.band, c.Count),
		"s": read.ToNew(&e.savings, c.In(-10_000, 100)), // below 0 where Spot costs more than on demand
	}, nil)
	if err == nil && (e.band < 0 || e.savings == nil) {
		err = c.Errorf("the entry of %s ends without r or s", read.Quote(e.typ))
	}
	e.line = int64(c.Line())
	return err
}

func (b advisor) addAdvised(s *read.Source, entries []advised, bands []advisorBand) error {
	at := b.Beginning(s)
	for i := range entries {
		e := &entries[i]
		k := slices.IndexFunc(bands, func(band advisorBand) bool { return band.index == e.band })
		if k < 0 {
			return s.Errorf(int(e.line), 1, "band %s of %s in %s is none of the ranges", strconv.Itoa(int(e.band)), e.typ,
				e.region)
		}
		pool := b.Pool(traces.Pool{
			Name: traces.PoolName(e.region, e.typ, e.system), Cloud: "aws", Region: e.region, InstanceType: e.typ,
			Product: e.system,
		})
		index := float64(e.band)
		row := traces.SignalRow{T: at, PoolID: pool, SrcFile: s.Index, SrcRow: e.line, Origin: traces.OriginAPI}
		band, savings := row, row
		band.Name, band.Unit, band.Value, band.Lo, band.Hi = "if_band", "percent_per_month", &index, bands[k].lo, bands[k].hi
		savings.Name, savings.Unit, savings.Value = "savings", "percent", e.savings
		b.AddSignals(band, savings)
	}
	return nil
}
