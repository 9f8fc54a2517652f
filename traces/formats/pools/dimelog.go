package pools

import (
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// dimeFormat reads the logs of a script that held one machine of each kind.
var dimeFormat = formats.Format{
	Name: "dime-log",
	What: "availability logs of a script that keeps one machine of each kind and asks for it in turn " +
		"(training_on_a_dime): AWS names machines, GCP slots, which are used again; the Z of its times is glued " +
		"on, they are of an unknown zone; what the script finds not running was taken, for a cause that it does not know",
	Example: "[2020-03-15T10:07:33.000Z] Created instance i-0ad1 with 1 GPU(s) of type v100 in zone " +
		"us-east-1b\n[2020-03-15T10:21:22.000Z] Instance i-0ad1 running in zone us-east-1b",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		for l := range s.Lines() {
			return len(l.Text) <= read.MaxLine && dimeLine().MatchString(l.Text)
		}
		return false
	},
	New: func(b *formats.Builder) formats.Importer { return &dimeReader{b, map[int32]bool{}} },
}

func (b *dimeReader) Read(s *read.Source) error {
	var says []dimeSays
	for l := range s.Lines() {
		d, err := dimeParse(l)
		if err != nil {
			return err
		}
		if n := len(says); n > 0 && d.t < says[n-1].t {
			return l.ErrorAt(2, "time goes back from %s (line %d) to %s, expected ascending times", traces.Stamp(says[n-1].t),
				says[n-1].Number, traces.Stamp(d.t))
		}
		countLine(&b.Report.LogCounts, d.what)
		says = append(says, d)
	}
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUnknownTZ, traces.SemanticsHeld
	b.Notef("times end in Z, but are of the collecting machine's clock, whose zone is not known: taken as UTC")
	places, err := learnSites(s, says)
	if err != nil {
		return err
	}
	return b.replay(s, says, places)
}

func countLine(c *traces.LogCounts, what string) {
	c.Lines++
	*map[string]*int{"created": &c.Created, "failed": &c.Failed, "running": &c.Running, "gone": &c.NotRunning,
		"deleted": &c.Deleted}[what]++
}
