package formats

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
)

// build gathers what importers read and makes a set of it.
type build struct {
	ctx      context.Context
	opt      traces.Options
	report   traces.Report
	set      traces.Set // prices excepted, until they are settled
	prices   priceTable
	carried  map[int32]int64 // by pool: its last instant before the stated start
	priceN   int             // rows of prices that were kept
	window   int             // bytes of a text in memory at once
	most     int             // rows and names held in memory
	sources  []traces.SourceFile
	pools    map[string]int32
	awsPools map[awsKey]int32 // the same by what AWS says, quicker
	ends     []int64          // by pool: until when it was observed; 0: until the end
	ignored  []string         // fields that the neutral form has no place for

	arrays map[string][]int64 // prices by file stem, once read
	arrayN int32              // their place in sources
	probes map[probeKey]int   // rounds read, and their rows

	operations map[operationKey]bool // read

	contents map[string]string // by SHA-256: the file that was read first

	seen    map[string]bool // events that may be reported twice, by the source's own ID
	pii     []string        // fields left out because they name persons or accounts
	crawled bool            // prices were polled: a change lies between two rows

	clock, semantics, polarity string
	sampling                   int64
	cap                        int
}

func newBuild(opt traces.Options) *build {
	return &build{ctx: context.Background(), opt: opt, window: windowBytes, most: maxHeld, pools: map[string]int32{}, awsPools: map[awsKey]int32{}, seen: map[string]bool{}, contents: map[string]string{}}
}

// again reports whether an event with this ID was read before, and counts it.
func (b *build) again(id string) bool {
	if b.seen[id] {
		b.report.Duplicates++
		return true
	}
	b.seen[id] = true
	return false
}

// private leaves a field out for what it names.
func (b *build) private(field string) {
	if !slices.Contains(b.pii, field) {
		b.pii = append(b.pii, field)
	}
}

// pool returns the number of a pool, which it adds if it is new.
func (b *build) pool(p traces.Pool) int32 {
	if id, ok := b.pools[p.Name]; ok {
		return id
	}
	id := int32(len(b.set.Pools))
	p.AccountTag = b.opt.AccountTag
	describePool(&p, &b.opt)
	b.pools[p.Name] = id
	b.set.Pools = append(b.set.Pools, p)
	b.ends = append(b.ends, 0)
	return id
}

// filePool adds the pool of a file that holds one. A second file of the same
// pool is refused: counts of two files cannot be put in order.
func (b *build) filePool(s *source) (int32, error) {
	p := poolOfFile(&b.opt, s.stem())
	if id, ok := b.pools[p.Name]; ok {
		return 0, s.errorf(0, 0, "is a second file of pool %s (pool %d); import them one by one", p.Name, id)
	}
	return b.pool(p), nil
}

// ignore counts a field that is read over.
func (b *build) ignore(field string) {
	if len(field) > traces.MaxName {
		field = field[:traces.MaxName]
	}
	if !slices.Contains(b.ignored, field) && len(b.ignored) < 64 {
		b.ignored = append(b.ignored, field)
	}
}

func (b *build) notef(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !slices.Contains(b.report.Notes, note) {
		b.report.Notes = append(b.report.Notes, note)
	}
}

// finish puts the set in order, writes its manifest and completes the report.
// Prices are handed to sink, part by part; the set has those that sink puts there.
func (b *build) finish(im *importer, sink func([]traces.PriceRow) error) (*traces.Set, error) {
	b.settleProbes()
	if err := b.dropDuplicateSignals(); err != nil {
		return nil, err
	}
	ids := b.sortPools()
	if err := b.settlePrices(ids, sink); err != nil {
		return nil, err
	}
	series.Order(b.set.Capacity, ids)
	series.Order(b.set.Probes, ids)
	series.Order(b.set.InstanceEvents, ids)
	series.Order(b.set.Signals, ids)
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
		b.notef("fields without a place here, not kept: %s", strings.Join(b.ignored, ", "))
	}
	b.set.Manifest = b.manifest(im, start, end)
	b.finishReport(im)
	here := b.set
	here.Manifest.Rows.Prices = len(here.Prices)
	return &b.set, here.Check()
}

// poolRanks returns the places of the pools in the order of their names.
func (b *build) poolRanks() []int32 {
	pools := b.set.Pools
	sorted := make([]int32, len(pools))
	for i := range sorted {
		sorted[i] = int32(i)
	}
	slices.SortFunc(sorted, func(x, y int32) int { return strings.Compare(pools[x].Name, pools[y].Name) })
	ranks := make([]int32, len(pools))
	for rank, i := range sorted {
		ranks[i] = int32(rank)
	}
	return ranks
}

// sortPools sorts the pools by name and returns their new numbers by old.
func (b *build) sortPools() []int32 {
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
func (b *build) rowSpan() (first, last int64, any bool) {
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
func (b *build) counts() traces.RowCounts {
	n := b.set.Counts()
	n.Prices = b.priceN
	return n
}

// span returns the beginning and the end of the observation.
func (b *build) span() (start, end int64, err error) {
	start, end, _ = b.rowSpan()
	last := end
	for _, e := range b.ends {
		end = max(end, e)
	}
	if !b.opt.End.IsZero() {
		if end = b.opt.End.UnixMicro(); end < last {
			return 0, 0, fmt.Errorf("options: end %s is before the last row, %s", traces.Stamp(end), traces.Stamp(last))
		}
	}
	if !b.opt.Start.IsZero() && b.semantics == traces.SemanticsPrices {
		if start = b.opt.Start.UnixMicro(); start > end {
			return 0, 0, fmt.Errorf("options: start %s is after the last row, %s", traces.Stamp(start), traces.Stamp(last))
		}
	}
	return start, end, nil
}

// closePools records a gap for every pool whose observation ended before the
// set's.
func (b *build) closePools(ids []int32, end int64) {
	for old, e := range b.ends {
		if e > 0 && e < end {
			b.gap(ids[old], e, end, "the observation of the pool ended before the others")
		}
	}
}

func (b *build) gap(pool int32, from, to int64, why string) {
	b.set.Gaps = append(b.set.Gaps, traces.GapRow{PoolID: pool, TStart: from, TEnd: to, Why: why})
}

func (b *build) manifest(im *importer, start, end int64) traces.Manifest {
	files := relative(b.sources)
	opt := b.opt
	if opt.PriceArrays != "" {
		opt.PriceArrays = path.Base(opt.PriceArrays) // wherever it lay
	}
	id := b.opt.TraceID
	if id == "" {
		id = im.Name + "-" + sourcesHash(files)
	}
	b.semantics = cmp.Or(b.opt.Semantics, b.semantics)
	return traces.Manifest{
		SchemaVersion: traces.SchemaVersion, TraceID: id,
		Source:    traces.Source{Repo: b.opt.Repo, Commit: b.opt.Commit, Licence: b.opt.Licence, Files: files},
		Importer:  traces.ImporterRecord{Name: im.Name, Version: im.version, Options: opt},
		ClockKind: b.clock, TStartUs: start, TEndUs: end, SamplingUs: b.sampling,
		Semantics: b.semantics, Cap: b.cap, Polarity: b.polarity, PIIDropped: slices.Sorted(slices.Values(b.pii)),
		Rows: b.counts(), Notes: b.report.Notes,
	}
}

func (b *build) finishReport(im *importer) {
	r := &b.report
	r.Format, r.Pools, r.Gaps = im.Name, len(b.set.Pools), len(b.set.Gaps)
	r.Unique = b.counts().Events()
	first, last, any := b.rowSpan()
	if any {
		r.First, r.Last = traces.Stamp(first), traces.Stamp(last)
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

// polled completes the rows of one pool that was polled: their uncertainty is
// the distance to the observation before.
func (b *build) polled(rows []traces.CapacityRow) {
	times := make([]int64, len(rows))
	for i := range rows {
		if times[i] = rows[i].T; i > 0 {
			rows[i].UncertainUs = times[i] - times[i-1]
		}
	}
	b.observed(rows[0].PoolID, times)
}

// observed records when a pool was looked at: a long silence is a gap, a shorter one
// is bridged by the observation before it, and the observation ends one usual distance
// after the last.
func (b *build) observed(pool int32, times []int64) {
	if len(times) == 0 {
		return
	}
	usual := usualDistance(times)
	hole := b.opt.MaxHole.Microseconds()
	if hole == 0 {
		hole = traces.DefaultMaxHole * usual
	}
	for i := 1; i < len(times); i++ {
		d := times[i] - times[i-1]
		silence := time.Duration(d) * time.Microsecond
		switch {
		case usual == 0:
		case d > max(hole, usual):
			b.gap(pool, times[i-1]+usual, times[i], fmt.Sprintf("no observation for %v", silence))
		case d > 2*usual:
			b.report.Bridged++
			b.report.LongestBridged = max(b.report.LongestBridged, silence)
		}
	}
	b.sampling = max(b.sampling, usual)
	b.ends[pool] = min(times[len(times)-1]+usual, traces.MaxInstant)
}

// usualDistance returns the median distance of two instants.
func usualDistance(times []int64) int64 {
	var d []int64
	for i := 1; i < len(times); i++ {
		if step := times[i] - times[i-1]; step > 0 {
			d = append(d, step)
		}
	}
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[len(d)/2]
}

// addCounts adds the rows of one pool's counts, with the cap that was asked for
// or else the largest count.
func (b *build) addCounts(s *source, rows []traces.CapacityRow) {
	top := int32(0)
	for _, r := range rows {
		top = max(top, r.Available)
	}
	limit := int32(b.opt.Cap)
	if limit == 0 {
		limit = max(top, 1)
		if limit > 1 {
			b.notef("cap not stated: the largest count of each file is taken")
		}
	}
	b.cap = max(b.cap, int(limit))
	for i := range rows {
		r := &rows[i]
		r.Cap, r.Censored, r.SrcFile = limit, r.Available == limit, s.index
		b.report.Rows++
		if i == 0 || r.Available != rows[i-1].Available {
			b.report.Changes++
		} else {
			b.report.Heartbeats++
		}
	}
	b.set.Capacity = append(b.set.Capacity, rows...)
}

// checkCount returns why a count is not believed.
func (b *build) checkCount(n int64) error {
	if n < 0 || n > traces.MaxMachines {
		return fmt.Errorf("expected a whole number from 0 to %d", traces.MaxMachines)
	}
	if b.opt.Cap > 0 && n > int64(b.opt.Cap) {
		return fmt.Errorf("is above the stated cap %d", b.opt.Cap)
	}
	return nil
}
