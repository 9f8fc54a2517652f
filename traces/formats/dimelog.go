package formats

import (
	"regexp"
	"strconv"
	"time"

	"github.com/marigram/marigram/traces"
)

// dimeLine is the grammar of the log; of the groups the first that matched says
// what the line is.
var dimeLine = regexp.MustCompile(`^\[(\S{10,35})\] (?:` +
	`Created instance (?P<created>\S+) with ([1-9]\d{0,2}) GPU\(s\) of type (\S+) in zone (\S+)` +
	`|Instance (?P<running>\S+) running in zone (\S+)` +
	`|Instance (?P<gone>\S+) not running in zone (\S+)` +
	`|Instance (?P<failed>\S+) creation failed` +
	`|Instance with (?P<any>[1-9]\d{0,2}) GPU\(s\) of type (\S+) creation failed` +
	`|Successfully deleted instance (?P<deleted>\S+))\s*$`)

// dimeLog reads the logs of a script that held one machine of each kind.
var dimeLog = Format{
	Name:    "dime-log",
	What:    "availability logs of a script that keeps one machine of each kind and asks for it in turn (training_on_a_dime): AWS names machines, GCP slots, which are used again; the Z of its times is glued on, they are of an unknown zone; what the script finds not running was taken, for a cause that it does not know",
	Example: "[2020-03-15T10:07:33.000Z] Created instance i-0ad1 with 1 GPU(s) of type v100 in zone us-east-1b\n[2020-03-15T10:21:22.000Z] Instance i-0ad1 running in zone us-east-1b",
	Version: 1,
	Recognise: func(s *source) bool {
		for l := range s.lines() {
			return len(l.text) <= maxLine && dimeLine.MatchString(l.text)
		}
		return false
	},
	New: func(b *Builder) Importer { return &dimeReader{b, map[int32]bool{}} },
}

// dimeSays is one line.
type dimeSays struct {
	line
	t        int64
	what     string // created, running, gone, failed, deleted
	id       string // machine or slot; "" where a failure does not say
	gpu      string
	gpus     int
	zone     string
	idColumn int
}

// dimeReader reads logs.
type dimeReader struct {
	*Builder
	taken map[int32]bool // pools of the files before
}

func (b *dimeReader) Read(s *source) error {
	var says []dimeSays
	for l := range s.lines() {
		d, err := dimeParse(l)
		if err != nil {
			return err
		}
		if n := len(says); n > 0 && d.t < says[n-1].t {
			return l.errorAt(2, "time goes back from %s (line %d) to %s, expected ascending times", traces.Stamp(says[n-1].t), says[n-1].n, traces.Stamp(d.t))
		}
		countLine(&b.Report.LogCounts, d.what)
		says = append(says, d)
	}
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUnknownTZ, traces.SemanticsHeld
	b.Notef("times end in Z, but are of the collecting machine's clock, whose zone is not known: taken as UTC")
	places, err := dimePlaces(s, says)
	if err != nil {
		return err
	}
	return b.replay(s, says, places)
}

func countLine(c *traces.LogCounts, what string) {
	c.Lines++
	*map[string]*int{"created": &c.Created, "failed": &c.Failed, "running": &c.Running, "gone": &c.NotRunning, "deleted": &c.Deleted}[what]++
}

// dimeParse reads one line.
func dimeParse(l line) (dimeSays, error) {
	d := dimeSays{line: l}
	if len(l.text) > maxLine {
		return d, l.errorAt(1, "line of %d bytes, expected at most %d", len(l.text), maxLine)
	}
	m := dimeLine.FindStringSubmatchIndex(l.text)
	if m == nil {
		return d, l.errorAt(1, "%s, expected a line of the log: a time in brackets, then what was created, is running, is not running, failed or was deleted", quote(l.text))
	}
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return l.text[m[2*i]:m[2*i+1]]
	}
	at, err := time.Parse(time.RFC3339, group(1))
	if err == nil {
		d.t, err = traces.Instant(at.UTC())
	}
	if err != nil {
		return d, l.errorAt(2, "time %s, expected for instance 2020-03-15T10:07:33.000Z", quote(group(1)))
	}
	for _, what := range []string{"created", "running", "gone", "failed", "any", "deleted"} {
		i := dimeLine.SubexpIndex(what)
		if m[2*i] < 0 {
			continue
		}
		d.what, d.id, d.idColumn = what, group(i), m[2*i]+1
		switch what {
		case "created":
			d.gpus, _ = strconv.Atoi(group(i + 1))
			d.gpu, d.zone = gpuModel(group(i+2)), group(i+3)
		case "running", "gone":
			d.zone = group(i + 1)
		case "any":
			d.what, d.id = "failed", ""
			d.gpus, _ = strconv.Atoi(group(i))
			d.gpu = gpuModel(group(i + 1))
		}
	}
	return d, d.checkNames()
}

func (d *dimeSays) checkNames() error {
	for _, name := range []string{d.id, d.gpu, d.zone} {
		if name == "" {
			continue
		}
		if err := checkName(name); err != nil {
			return d.errorAt(d.idColumn, "%s, %v", quote(name), err)
		}
	}
	return nil
}
