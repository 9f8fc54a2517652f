package formats

import (
	"errors"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
)

const probesHeader = "scheduled_at_utc,started_at_utc,ended_at_utc,zone,instances_requested,instances_created,capacity_exhausted_detected,spot_gpu_price_usd_per_gpu_hour"

// skynomadProbes reads rounds of launches in many zones.
var skynomadProbes = Format{
	Name: "skynomad-probes",
	What: "launch probes (SkyNomad): one JSON object a round with zone_results, or a CSV with one row a round and zone; what could be launched and was given back at once, not how long a machine lives. " +
		"The instance type is not stated (the option instance-type). Prices are kept only where they are stated as the GPU's own, an hour; a machine's price (the key price) is left out, since these files sum it from another machine's shape",
	Example: probesHeader + "\n2025-10-04T00:10:00.002Z,2025-10-04T00:10:00.005Z,2025-10-04T00:11:25.501Z,us-central1-b,16,13,3,",
	Version: 1,
	Recognise: func(s *source) bool {
		return s.firstLine() == probesHeader || s.topKey("zone_results")
	},
	New: func(b *Builder) Importer { return skynomadReader{newRounds(b)} },
}

// skynomadReader reads rounds.
type skynomadReader struct{ *rounds }

func (b skynomadReader) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsLaunchProbe
	if s.firstLine() == probesHeader {
		return b.readCSV(s)
	}
	return b.readJSON(s)
}

func (b skynomadReader) readCSV(s *source) error {
	rows := 0
	for l := range s.lines() {
		if strings.TrimSpace(l.text) == probesHeader {
			continue
		}
		p, err := probeLine(l)
		if err != nil {
			return err
		}
		if err := b.addProbe(s, p); err != nil {
			return l.errorAt(1, "%v", err)
		}
		rows++
	}
	if rows == 0 {
		return s.errorf(0, 0, "has no row below the header")
	}
	return nil
}

// probeLine reads a row of the CSV. When a round was scheduled is not kept, as
// it is for the length of a round that the table has its columns.
func probeLine(l line) (p probe, err error) {
	f, column, err := l.fields(8)
	if err != nil {
		return p, err
	}
	var times [3]int64
	for i := range times {
		if times[i], err = rfc3339(f[i]); err != nil {
			return p, l.errorAt(column[i], "time %s %v", quote(f[i]), err)
		}
	}
	if err := checkName(f[3]); err != nil {
		return p, l.errorAt(column[3], "zone %s, %v", quote(f[3]), err)
	}
	var counts [3]int32
	for i := range counts {
		if counts[i], err = wholeNumber(f[4+i]); err != nil && !(i == 2 && f[6] == "") {
			return p, l.errorAt(column[4+i], "count %s %v", quote(f[4+i]), err)
		}
	}
	p.zone = f[3]
	p.row = traces.ProbeRow{T: times[1], TEnd: &times[2], SrcRow: int64(l.n), Requested: counts[0], Fulfilled: counts[1]}
	if f[6] != "" {
		p.row.Exhausted = &counts[2]
	}
	if f[7] != "" {
		nano, err := traces.ParseUSD(f[7])
		if err != nil {
			return p, l.errorAt(column[7], "price %s %v", quote(f[7]), err)
		}
		p.gpu = &nano
	}
	if err := p.check(); err != nil {
		return p, l.errorAt(1, "%v", err)
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
