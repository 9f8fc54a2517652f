package pools

import (
	"errors"
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
	Example: probesHeader + "\n2025-10-04T00:10:00.002Z,2025-10-04T00:10:00.005Z,2025-10-04T00:11:25.501Z,us-central1-b,16,13,3,",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		return s.FirstRecord() == probesHeader || s.TopKey("zone_results")
	},
	New: func(b *formats.Builder) formats.Importer { return skynomad{newRounds(b)} },
}

func (b skynomad) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsLaunchProbe
	if s.FirstRecord() == probesHeader {
		return b.readCSV(s)
	}
	return b.readJSON(s)
}

func (b skynomad) readCSV(s *read.Source) error {
	rows := 0
	for l := range s.Records() {
		if strings.TrimSpace(l.Plain()) == probesHeader {
			continue
		}
		p, err := probeLine(l)
		if err != nil {
			return err
		}
		if err := b.addProbe(s, p); err != nil {
			return l.ErrorAt(1, "%v", err)
		}
		rows++
	}
	if rows == 0 {
		return s.Errorf(0, 0, "has no row below the header")
	}
	return nil
}

// probeLine reads a row of the CSV. When a round was scheduled is not kept, as
// it is for the length of a round that the table has its columns.
func probeLine(l read.Line) (p probe, err error) {
	f, column, err := l.Fields(8)
	if err != nil {
		return p, err
	}
	var times [3]int64
	for i := range times {
		if times[i], err = rfc3339(f[i]); err != nil {
			return p, l.ErrorAt(column[i], "time %s %v", read.Quote(f[i]), err)
		}
	}
	if err := read.CheckName(f[3]); err != nil {
		return p, l.ErrorAt(column[3], "zone %s, %v", read.Quote(f[3]), err)
	}
	var counts [3]int32
	for i := range counts {
		if counts[i], err = read.WholeNumber(f[4+i]); err != nil && !(i == 2 && f[6] == "") {
			return p, l.ErrorAt(column[4+i], "count %s %v", read.Quote(f[4+i]), err)
		}
	}
	p.zone = f[3]
	p.row = traces.ProbeRow{T: times[1], TEnd: &times[2], SrcRow: int64(l.Number), Requested: counts[0],
		Fulfilled: counts[1]}
	if f[6] != "" {
		p.row.Exhausted = &counts[2]
	}
	if f[7] != "" {
		nano, err := traces.ParseUSD(f[7])
		if err != nil {
			return p, l.ErrorAt(column[7], "price %s %v", read.Quote(f[7]), err)
		}
		p.gpu = &nano
	}
	if err := p.check(); err != nil {
		return p, l.ErrorAt(1, "%v", err)
	}
	return p, nil
}

var (
	errRFC3339 = errors.New("expected RFC 3339 with a zone or offset, for instance 2025-10-03T17:10:00.002-07:00")
)

// rfc3339 reads an instant with a zone or offset in us UTC.
func rfc3339(text string) (int64, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, errRFC3339
	}
	return traces.Instant(t.UTC())
}
