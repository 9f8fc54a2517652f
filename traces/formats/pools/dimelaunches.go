package pools

import (
	"strconv"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var launchLine = read.Pattern(`^Zone: ([^,]+), GPU type: ([^,]+), Number of GPUs: ([1-9]\d{0,2}), Price per hour: \$\d+\.\d+\s*$`)

// launchesFormat reads rounds of launches of which only the successes are
// printed.
var launchesFormat = formats.Format{
	Name: "dime-launches",
	What: "logs of rounds of launches, one file a round (training_on_a_dime's spin_up_and_shut_down): only " +
		"successes are printed, so that a kind that is absent may have failed, may not be sold there or may not " +
		"have been tried; when a round began is the file's name (2020-02-26T17:03:53.000Z.out, of an unknown time " +
		"zone) or the option start; the price printed is a constant of the script and left out",
	Example: "Zone: us-west1-b, GPU type: nvidia-tesla-v100, Number of GPUs: 1, Price per hour: $0.851",
	Version: 1,
	Recognise: func(s *read.Source) bool {
		for l := range s.Lines() {
			return len(l.Text) <= read.MaxLine && launchLine().MatchString(l.Text)
		}
		return false
	},
	New: func(b *formats.Builder) formats.Importer { return launches{newRounds(b)} },
}

// launches reads rounds.
type launches struct{ *rounds }

func (b launches) Read(s *read.Source) error {
	at, err := b.roundStart(s)
	if err != nil {
		return err
	}
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUnknownTZ, traces.SemanticsLaunches
	b.Notef("only launches that succeeded are recorded: absence is not lack of capacity")
	b.Notef("prices are left out: they are constants of the script that printed them")
	for l := range s.Lines() {
		p, err := launched(l)
		if err != nil {
			return err
		}
		p.row.T = at
		if err := p.check(); err != nil {
			return l.ErrorAt(1, "%v", err)
		}
		if err := b.addProbe(s, p); err != nil {
			return l.ErrorAt(1, "%v", err)
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
		return probe{}, l.ErrorAt(1, "%s, expected a zone, a GPU type, a number of GPUs and a price", read.Quote(l.Text))
	}
	zone, gpu := l.Text[m[2]:m[3]], read.GPUModel(l.Text[m[4]:m[5]])
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
