package formats

import (
	"context"
	"fmt"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// Builder gathers the rows that an importer reads, in any order, and makes a set of
// them: it sorts and numbers them, drops duplicates and flags repeats.
//
// An importer sets the row's columns but for seq, and of pool_id it uses what Pool or
// one of its kin returned; src_file is the source's Index.
type Builder struct {
	// Options say what the sources do not. Importers do not change them.
	Options traces.Options
	// Report counts what was read and repaired. Importers count what the builder does
	// not see: rows out of order, files without a row, corrupt rows.
	Report traces.Report
	// Manifest is where an importer says SamplingUs, Cap and Polarity, where there are such, and ClockKind and
	// Semantics where a file has others than its format. The rest is the builder's.
	Manifest traces.Manifest

	set    traces.Set // prices excepted, until they are settled
	prices priceTable
	files  files
	pools  map[string]int32           // by name
	ends   []int64                    // by pool: until when it was observed; 0: until the end
	held   int                        // rows and names that the importer keeps
	begins *int64                     // us UTC: when the observation began, nil: with the first row
	each   func(*traces.JobRow) error // is given the jobs, which are not kept then; nil: they are
	failed error                      // of each

	unzoned string // what is said of times without a zone; empty: all have one

	seen    map[string]bool // events that may be reported twice, by the source's own ID
	ignored []string        // fields that the neutral form has no place for
	private []string        // fields left out because they name persons or accounts
}

func newBuilder(ctx context.Context, opt traces.Options) *Builder {
	return &Builder{
		Options: opt, pools: map[string]int32{}, seen: map[string]bool{},
		files: files{ctx: ctx, window: read.WindowBytes, max: maxHeld, contents: map[string]string{}},
	}
}

// Again reports whether an event with this ID was read before, and counts the repeat.
func (b *Builder) Again(id string) bool {
	if b.seen[id] {
		b.Report.Rows++
		b.Report.Duplicates++
		return true
	}
	b.seen[id] = true
	return false
}

// Unzoned says that the time in a field has no zone, so that it is taken as UTC. The first is kept, for the report.
func (b *Builder) Unzoned(r *read.Row, field string) {
	b.Manifest.ClockKind = traces.ClockUnknownTZ
	if b.unzoned == "" {
		b.unzoned = r.Errorf(field, "%s has no time zone: times without one are taken as UTC; "+
			"an offset behind them says another (%s+01:00)", read.Quote(r.Text(field)), r.Text(field)).Error()
	}
}

// Hold counts rows and names that an importer keeps until all files are read, against
// the bound on what is held in memory.
func (b *Builder) Hold(n int) { b.held += n }

// AddEvents adds events of machines. It may keep the slice.
func (b *Builder) AddEvents(rows ...traces.InstanceEventRow) {
	b.Report.Rows += len(rows)
	if b.set.InstanceEvents == nil { // a file of millions is not copied
		b.set.InstanceEvents = slices.Clip(rows)
		return
	}
	b.set.InstanceEvents = append(b.set.InstanceEvents, rows...)
}

// AddProbe adds a launch probe and returns its place among them.
func (b *Builder) AddProbe(r traces.ProbeRow) int {
	b.Report.Rows++
	b.set.Probes = append(b.set.Probes, r)
	return len(b.set.Probes) - 1
}

// Probes returns the launch probes so far, in the order in which they were added.
func (b *Builder) Probes() []traces.ProbeRow { return b.set.Probes }

// AddJob adds a job.
func (b *Builder) AddJob(r traces.JobRow) {
	b.Report.Rows++
	if b.each == nil {
		b.set.Jobs = append(b.set.Jobs, r)
	} else if b.failed == nil {
		b.failed = b.each(&r)
	}
}

// AddCounts adds the counts of one pool in a file, in order of time, with the cap that
// was asked for or else the largest of them.
func (b *Builder) AddCounts(s *read.Source, rows []traces.CapacityRow) {
	top := int32(0)
	for _, r := range rows {
		top = max(top, r.Available)
	}
	limit := int32(b.Options.Cap)
	if limit == 0 {
		limit = max(top, 1)
		if limit > 1 {
			b.Notef("cap not stated: the largest count of each file is taken")
		}
	}
	b.Manifest.Cap = max(b.Manifest.Cap, int(limit))
	for i := range rows {
		r := &rows[i]
		r.SrcFile = s.Index
		r.Cap = limit
		r.Censored = r.Available == limit
		b.Report.Rows++
		if i == 0 || r.Available != rows[i-1].Available {
			b.Report.Changes++
		} else {
			b.Report.Heartbeats++
		}
	}
	b.set.Capacity = append(b.set.Capacity, rows...)
}

// Gap says that nothing is known of a pool for a while, us UTC.
func (b *Builder) Gap(pool int32, from, to int64, why string) {
	b.set.Gaps = append(b.set.Gaps, traces.GapRow{PoolID: pool, TStart: from, TEnd: to, Why: why})
}

// CutPage counts a page that says that another follows, which is not there. It returns
// the complaint about it, unless the options accept it.
func (b *Builder) CutPage(complaint error) error {
	b.Report.FilesWithNextToken++
	if !b.Options.AllowTruncated {
		return complaint
	}
	b.Report.TruncatedAccepted++
	return nil
}

// Ignore notes a field that is read over.
func (b *Builder) Ignore(field string) {
	if len(field) > traces.MaxName {
		field = field[:traces.MaxName]
	}
	if !slices.Contains(b.ignored, field) && len(b.ignored) < 64 {
		b.ignored = append(b.ignored, field)
	}
}

// Private notes a field that is left out for what it names.
func (b *Builder) Private(field string) {
	if !slices.Contains(b.private, field) {
		b.private = append(b.private, field)
	}
}

// SkipPrivate is a reader of what Private is for.
func (b *Builder) SkipPrivate(c *read.Cursor) func(key string) error {
	return func(key string) error {
		b.Private(key)
		return c.Skip(key)
	}
}

// Notef notes an assumption, a repair or a doubt, for people; the same note once.
func (b *Builder) Notef(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !slices.Contains(b.Report.Notes, note) {
		b.Report.Notes = append(b.Report.Notes, note)
	}
}
