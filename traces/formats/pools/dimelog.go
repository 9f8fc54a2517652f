package pools

import (
	"slices"
	"strconv"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// dimeFormat reads the logs of a script that held one machine of each kind.
var dimeFormat = formats.Format{
	Name: "dime-log",
	What: "availability logs of a script that keeps one machine of each kind and asks for it in turn " +
		"(training_on_a_dime): AWS names machines, GCP slots, which are used again; the Z of its times is glued " +
		"on, they are of an unknown zone; what the script finds not running was taken, " +
		"for a cause that it does not know",
	Example: "[2020-03-15T10:07:33.000Z] Created instance i-0ad1 with 1 GPU(s) of type v100 in zone " +
		"us-east-1b\n[2020-03-15T10:21:22.000Z] Instance i-0ad1 running in zone us-east-1b",
	Version:   1,
	Clock:     traces.ClockUnknownTZ,
	Semantics: traces.SemanticsHeld,
	Recognise: func(s *read.Source) bool { return s.FirstMatches(dimeLine) },
	New:       func(b *formats.Builder) formats.Importer { return &dimeReader{b, map[int32]bool{}} },
}

func (b *dimeReader) Read(s *read.Source) error {
	var says []dimeSays
	for l := range s.Lines() {
		d, err := dimeParse(l)
		if err != nil {
			return err
		}
		if n := len(says); n > 0 && d.t < says[n-1].t {
			return l.ErrorAt(2, "time goes back from %s (line %d) to %s, expected ascending times",
				traces.Stamp(says[n-1].t), says[n-1].Number, traces.Stamp(d.t))
		}
		countLine(&b.Report.LogCounts, d.what)
		says = append(says, d)
	}
	b.Notef("times end in Z, but are of the collecting machine's clock, whose zone is not known: taken as UTC")
	places, err := learnSites(s, says)
	if err != nil {
		return err
	}
	return b.replay(s, says, places)
}

func countLine(c *traces.LogCounts, what string) {
	c.Lines++
	switch what {
	case "created":
		c.Created++
	case "failed":
		c.Failed++
	case "running":
		c.Running++
	case "gone":
		c.NotRunning++
	case "deleted":
		c.Deleted++
	}
}

var launchLine = read.Pattern(`^Zone: ([^,]+), GPU type: ([^,]+), Number of GPUs: ([1-9]\d{0,2}), ` +
	`Price per hour: \$\d+\.\d+\s*$`)

// launchesFormat reads rounds of launches of which only the successes are
// printed.
var launchesFormat = formats.Format{
	Name: "dime-launches",
	What: "logs of rounds of launches, one file a round (training_on_a_dime's spin_up_and_shut_down): only " +
		"successes are printed, so that a kind that is absent may have failed, may not be sold there or may not " +
		"have been tried; when a round began is the file's name (2020-02-26T17:03:53.000Z.out, of an unknown time " +
		"zone) or the option start; the price printed is a constant of the script and left out",
	Example:   "Zone: us-west1-b, GPU type: nvidia-tesla-v100, Number of GPUs: 1, Price per hour: $0.851",
	Version:   1,
	Clock:     traces.ClockUnknownTZ,
	Semantics: traces.SemanticsLaunches,
	Recognise: func(s *read.Source) bool { return s.FirstMatches(launchLine) },
	New:       func(b *formats.Builder) formats.Importer { return launches{newRounds(b)} },
}

// launches reads rounds.
type launches struct{ *rounds }

func (b launches) Read(s *read.Source) error {
	at, err := b.roundStart(s)
	if err != nil {
		return err
	}
	b.Notef("only launches that succeeded are recorded: absence is not lack of capacity")
	b.Notef("prices are left out: they are constants of the script that printed them")
	for l := range s.Lines() {
		p, err := launched(l)
		if err != nil {
			return err
		}
		p.row.T = at
		if err := b.addProbe(s, p); err != nil {
			return l.Errorf("%v", err)
		}
	}
	return nil
}

// roundStart returns when a round began: its file's name says so.
func (b launches) roundStart(s *read.Source) (int64, error) {
	t, err := time.Parse(time.RFC3339, s.Stem())
	if err != nil {
		if t = b.Options.Start; t.IsZero() {
			return 0, s.Errorf(0, 0, "does not say when it was written: expected a name such as "+
				"2020-02-26T17:03:53.000Z.out, or the option start")
		}
	}
	us, err := traces.Instant(t.UTC())
	if err != nil {
		return 0, s.Errorf(0, 0, "its name says %s, which %v", s.Stem(), err)
	}
	return us, nil
}

// launched reads a line: one machine asked for, and it came.
func launched(l read.Line) (probe, error) {
	if len(l.Text) > read.MaxLine {
		return probe{}, l.ErrorAt(1, "line of %d bytes, expected at most %d", len(l.Text), read.MaxLine)
	}
	m := launchLine().FindStringSubmatchIndex(l.Text)
	if m == nil {
		return probe{}, l.ErrorAt(1, "%s, expected a zone, a GPU type, a number of GPUs and a price",
			read.Quote(l.Text))
	}
	zone := l.Text[m[2]:m[3]]
	gpu := read.GPUModel(l.Text[m[4]:m[5]])
	for i, name := range []string{zone, gpu} {
		if err := read.CheckName(name); err != nil {
			return probe{}, l.ErrorAt(m[2+2*i]+1, "%s, %v", read.Quote(name), err)
		}
	}
	gpus, _ := strconv.Atoi(l.Text[m[6]:m[7]])
	return probe{
		zone: zone, gpuType: gpu, gpus: int32(gpus),
		row: traces.ProbeRow{SrcRow: int64(l.Number), Requested: 1, Fulfilled: 1},
	}, nil
}

// site is where a kind of machine is kept: the script holds one in each.
type site struct {
	zone, gpu string
	gpus      int
	slot      string // its name, where the kind was never created and is not known
}

// sites says where a log's machines are.
type sites struct {
	of    map[string]site // machine or slot: its place
	zones []string        // in the order in which the script goes through them
}

// learnSites learns the places from the whole log. A name stays in one place.
func learnSites(s *read.Source, says []dimeSays) (sites, error) {
	p := sites{of: map[string]site{}}
	for _, d := range says {
		if d.zone != "" && !slices.Contains(p.zones, d.zone) {
			p.zones = append(p.zones, d.zone)
		}
		if d.what != "created" {
			continue
		}
		is := site{zone: d.zone, gpu: d.gpu, gpus: d.gpus}
		if was, there := p.of[d.id]; there && was != is {
			return p, d.ErrorAt(d.idColumn, "instance %s has %d GPU(s) of type %s in zone %s, and before had %d of "+
				"type %s in %s; expected one kind in one zone",
				read.Quote(d.id), is.gpus, is.gpu, is.zone, was.gpus, was.gpu, was.zone)
		}
		p.of[d.id] = is
	}
	for _, d := range says {
		was, there := p.of[d.id]
		switch {
		case d.zone == "":
		case !there:
			p.of[d.id] = site{zone: d.zone, slot: d.id}
		case was.zone != d.zone:
			return p, d.ErrorAt(d.idColumn, "instance %s in zone %s, and elsewhere in %s; expected one zone",
				read.Quote(d.id), d.zone, was.zone)
		}
	}
	return p, nil
}

// turns says whose turn it is, by kind of machine: the script goes through its
// zones in one order, so that a failure without a zone belongs to the next zone
// in which no such machine is there.
type turns struct {
	sites
	last map[site]int  // kind (without a zone): the zone last heard of
	up   map[site]bool // a machine is there
}

func kindOf(p site) site { return site{gpu: p.gpu, gpus: p.gpus} }

// heard notes that a place was reported on. What is found gone is asked for
// anew in the same turn.
func (t *turns) heard(p site, turnOver bool) {
	t.last[kindOf(p)] = slices.Index(t.zones, p.zone)
	if !turnOver {
		t.last[kindOf(p)]--
	}
}

// next returns the place in which a creation failed; false where a machine is
// in every zone, or there is no zone.
func (t *turns) next(kind site) (site, bool) {
	last, heard := t.last[kind]
	if !heard {
		last = -1
	}
	for i := 1; i <= len(t.zones); i++ {
		p := kind
		p.zone = t.zones[(last+i)%len(t.zones)]
		if !t.up[p] {
			t.heard(p, true)
			return p, true
		}
	}
	return kind, false
}

// dimeReplay turns the lines of one log into events and counts.
type dimeReplay struct {
	b      *dimeReader
	s      *read.Source
	turns  turns
	pools  map[site]int32
	order  []int32
	counts map[int32][]traces.CapacityRow
	seen   map[string]int64 // machine that is there: when it was last seen
}

// replay goes through a log. Every line that tells whether a place has its
// machine is an observation of it; the machines themselves come with created
// and go with the first line that does not find them running.
func (b *dimeReader) replay(s *read.Source, says []dimeSays, p sites) error {
	r := dimeReplay{b: b, s: s, pools: map[site]int32{}, counts: map[int32][]traces.CapacityRow{},
		seen:  map[string]int64{},
		turns: turns{sites: p, last: map[site]int{}, up: map[site]bool{}}}
	for i := range says {
		if err := r.line(&says[i]); err != nil {
			return err
		}
	}
	for _, pool := range r.order {
		if rows := r.counts[pool]; len(rows) > 0 {
			b.Polled(rows)
			b.AddCounts(s, rows)
		}
	}
	return nil
}

// line takes one line.
func (r *dimeReplay) line(d *dimeSays) error {
	at, known := r.turns.of[d.id]
	if d.id == "" {
		if at, known = r.turns.next(site{gpu: d.gpu, gpus: d.gpus}); known {
			r.b.Notef("creations that failed without a zone belong to the zone whose turn it was: the script goes " +
				"through the zones in one order")
		}
	}
	if !known && d.id != "" {
		return d.ErrorAt(d.idColumn, "instance %s is in no zone by any line, expected one that was created or seen",
			read.Quote(d.id))
	}
	pool, err := r.pool(at)
	if err != nil {
		return err
	}
	since, up := r.seen[d.id]
	switch d.what {
	case "created":
		if up {
			return d.ErrorAt(d.idColumn, "instance %s is created, but is there, last seen at %s", read.Quote(d.id),
				traces.Stamp(since))
		}
		r.event(d, pool, traces.KindLaunch, 0)
	case "running":
		if !up {
			return d.ErrorAt(d.idColumn, "instance %s is running, but was not created or is gone", read.Quote(d.id))
		}
		r.event(d, pool, traces.KindRunning, 0)
	case "gone":
		if up {
			r.event(d, pool, traces.KindPreempt, d.t-since)
		}
	case "failed":
		if up {
			return d.ErrorAt(d.idColumn, "creation of %s failed, but it is there, last seen at %s", read.Quote(d.id),
				traces.Stamp(since))
		}
		r.event(d, pool, traces.KindLaunchFail, 0)
	case "deleted":
		r.event(d, pool, traces.KindTerminate, 0)
	}
	if known {
		r.observe(d, at, pool)
	}
	return nil
}

// observe notes whether the place has its machine.
func (r *dimeReplay) observe(d *dimeSays, at site, pool int32) {
	here := d.what == "created" || d.what == "running"
	if delete(r.seen, d.id); here {
		r.seen[d.id] = d.t
	}
	r.turns.up[at] = here
	r.turns.heard(at, d.what != "gone" && d.what != "deleted")
	if d.what == "deleted" {
		return // says nothing that not running did not
	}
	row := traces.CapacityRow{T: d.t, PoolID: pool, SrcRow: int64(d.Number), Origin: traces.OriginPoll}
	if here {
		row.Available = 1
	}
	r.counts[pool] = append(r.counts[pool], row)
}

func (r *dimeReplay) event(d *dimeSays, pool int32, kind string, uncertain int64) {
	reason := traces.ReasonUnknown
	if kind == traces.KindTerminate {
		reason = traces.ReasonUser
	}
	r.b.AddEvents(traces.InstanceEventRow{
		T:           d.t,
		UncertainUs: uncertain,
		PoolID:      pool,
		SrcFile:     r.s.Index,
		SrcRow:      int64(d.Number),
		Origin:      traces.OriginPoll,
		InstanceID:  d.id,
		Kind:        kind,
		Reason:      reason,
	})
}

// pool returns the pool of a place, which no other file has.
func (r *dimeReplay) pool(at site) (int32, error) {
	if id, ok := r.pools[at]; ok {
		return id, nil
	}
	p := traces.Pool{Zone: at.zone, GPUType: at.gpu, GPUCount: int32(at.gpus), Name: at.slot}
	if _, cloud := read.RegionOf(at.zone); cloud == "aws" {
		p.InstanceType = read.AWSType(at.gpu, at.gpus)
	}
	id := r.b.ZonePool(p)
	if r.b.taken[id] {
		return 0, r.s.Errorf(0, 0, "is a second file of pool %s; import them one by one", r.b.PoolAt(id).Name)
	}
	r.b.taken[id] = true
	r.pools[at] = id
	r.order = append(r.order, id)
	return id, nil
}

// dimeReader reads logs.
type dimeReader struct {
	*formats.Builder
	taken map[int32]bool // pools of the files before
}
