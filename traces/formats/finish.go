package formats

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// finish puts the set in order, writes its manifest and completes the report.
// Prices are handed to sink, part by part; the set has those that sink puts there.
func (b *Builder) finish(f *Format, sink func([]traces.PriceRow) error) (*traces.Set, error) {
	ids := b.sortPools()
	if err := b.settlePrices(ids, sink); err != nil {
		return nil, err
	}
	series.Order(b.set.Capacity, ids)
	series.Order(b.set.Probes, ids)
	series.Order(b.set.InstanceEvents, ids)
	series.Order(b.set.Jobs, []int32{0})
	for i := range b.set.Gaps {
		b.set.Gaps[i].PoolID = ids[b.set.Gaps[i].PoolID]
	}
	start, end, err := b.span()
	if err != nil {
		return nil, err
	}
	b.closePools(ids, end)
	slices.SortStableFunc(b.set.Gaps, func(x, y traces.GapRow) int {
		return cmp.Or(cmp.Compare(x.TStart, y.TStart), cmp.Compare(x.PoolID, y.PoolID))
	})
	if len(b.ignored) > 0 {
		slices.Sort(b.ignored)
		b.Notef("fields without a place here, not kept: %s", strings.Join(b.ignored, ", "))
	}
	b.set.Manifest = b.manifest(f, start, end)
	b.finishReport(f)
	here := b.set
	here.Manifest.Rows.Prices = len(here.Prices)
	return &b.set, here.Check()
}

// sortPools sorts the pools by name and returns their new numbers by old.
func (b *Builder) sortPools() []int32 {
	ids := b.poolRanks()
	pools := make([]traces.Pool, len(ids))
	for old, id := range ids {
		pools[id] = b.set.Pools[old]
		pools[id].PoolID = id
	}
	b.set.Pools = pools
	return ids
}

// rowSpan returns the instants of the first and the last row.
func (b *Builder) rowSpan() (first, last int64, any bool) {
	first, last, any = b.set.RowSpan()
	switch p := &b.prices; {
	case p.any && any:
		return min(first, p.first), max(last, p.last), true
	case p.any:
		return p.first, p.last, true
	}
	return first, last, any
}

// counts counts the rows of the set and of the prices that were handed on.
func (b *Builder) counts() traces.RowCounts {
	n := b.set.Counts()
	n.Prices = b.prices.kept
	return n
}

// span returns the beginning and the end of the observation.
func (b *Builder) span() (start, end int64, err error) {
	start, end, _ = b.rowSpan()
	last := end
	if b.begins != nil {
		start = min(start, *b.begins)
	}
	for _, e := range b.ends {
		end = max(end, e)
	}
	if !b.Options.End.IsZero() {
		if end = b.Options.End.UnixMicro(); end < last {
			return 0, 0, fmt.Errorf("options: end %s is before the last row, %s", traces.Stamp(end), traces.Stamp(last))
		}
	}
	if !b.Options.Start.IsZero() && b.Manifest.Semantics == traces.SemanticsPrices {
		if start = b.Options.Start.UnixMicro(); start > end {
			return 0, 0, fmt.Errorf("options: start %s is after the last row, %s",
				traces.Stamp(start), traces.Stamp(last))
		}
	}
	return start, end, nil
}

// closePools records a gap for every pool whose observation ended before the
// set's.
func (b *Builder) closePools(ids []int32, end int64) {
	for old, e := range b.ends {
		if e > 0 && e < end {
			b.Gap(ids[old], e, end, "the observation of the pool ended before the others")
		}
	}
}

// manifest completes what the importer says of the trace.
func (b *Builder) manifest(f *Format, start, end int64) traces.Manifest {
	files := relative(b.files.list)
	opt := b.Options
	if opt.PriceArrays != "" {
		opt.PriceArrays = path.Base(opt.PriceArrays) // wherever it lay
	}
	m := b.Manifest
	m.SchemaVersion = traces.SchemaVersion
	m.TraceID = cmp.Or(opt.TraceID, f.Name+"-"+sourcesHash(files))
	m.Source = traces.Source{Repo: opt.Repo, Commit: opt.Commit, Licence: opt.Licence, Files: files}
	m.Importer = traces.ImporterRecord{Name: f.Name, Version: f.Version, Options: opt}
	m.TStartUs = start
	m.TEndUs = end
	m.Semantics = cmp.Or(opt.Semantics, m.Semantics)
	m.PIIDropped = slices.Sorted(slices.Values(b.private))
	m.Rows = b.counts()
	m.Notes = b.Report.Notes
	return m
}

func (b *Builder) finishReport(f *Format) {
	// Here, since the manifest of a set that is pulled stays as it is.
	if b.Manifest.ClockKind == traces.ClockUnknownTZ {
		b.Notef("%s", cmp.Or(b.unzoned, "times have no time zone in the format "+f.Name+" and are taken as UTC"))
	}
	r := &b.Report
	r.Format = f.Name
	r.Pools = len(b.set.Pools)
	r.Gaps = len(b.set.Gaps)
	r.Unique = b.counts().Events()
	first, last, any := b.rowSpan()
	if any {
		r.First = traces.Stamp(first)
		r.Last = traces.Stamp(last)
	}
}

// relative makes the paths relative to the folder that all files share, so that
// a trace does not depend on where its sources lay.
func relative(files []traces.SourceFile) []traces.SourceFile {
	if len(files) == 0 {
		return nil
	}
	shared := path.Dir(files[0].Path)
	for _, f := range files {
		for shared != "." && shared != "/" && !strings.HasPrefix(f.Path, shared+"/") {
			shared = path.Dir(shared)
		}
	}
	out := slices.Clone(files)
	for i := range out {
		out[i].Path = strings.TrimPrefix(strings.TrimPrefix(out[i].Path, shared), "/")
	}
	return out
}

// sourcesHash returns twelve hexadecimal digits that stand for the contents.
func sourcesHash(files []traces.SourceFile) string {
	h := sha256.New()
	for _, f := range files {
		h.Write([]byte(f.SHA256))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
