package pools

import (
	"strconv"
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// dimeLine is the grammar of the log; of the groups the first that matched says
// what the line is.
var dimeLine = read.Pattern(`^\[(\S{10,35})\] (?:` +
	`Created instance (?P<created>\S+) with ([1-9]\d{0,2}) GPU\(s\) of type (\S+) in zone (\S+)` +
	`|Instance (?P<running>\S+) running in zone (\S+)` +
	`|Instance (?P<gone>\S+) not running in zone (\S+)` +
	`|Instance (?P<failed>\S+) creation failed` +
	`|Instance with (?P<any>[1-9]\d{0,2}) GPU\(s\) of type (\S+) creation failed` +
	`|Successfully deleted instance (?P<deleted>\S+))\s*$`)

// dimeSays is one line.
type dimeSays struct {
	read.Line
	t        int64
	what     string // created, running, gone, failed, deleted
	id       string // machine or slot; "" where a failure does not say
	gpu      string
	gpus     int
	zone     string
	idColumn int
}

// dimeParse reads one line.
func dimeParse(l read.Line) (dimeSays, error) {
	d := dimeSays{Line: l}
	if len(l.Text) > read.MaxLine {
		return d, l.ErrorAt(1, "line of %d bytes, expected at most %d", len(l.Text), read.MaxLine)
	}
	m := dimeLine().FindStringSubmatchIndex(l.Text)
	if m == nil {
		return d, l.ErrorAt(1, "%s, expected a line of the log: a time in brackets, then what was created, is "+
			"running, is not running, failed or was deleted", read.Quote(l.Text))
	}
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return l.Text[m[2*i]:m[2*i+1]]
	}
	at, err := time.Parse(time.RFC3339, group(1))
	if err == nil {
		d.t, err = traces.Instant(at.UTC())
	}
	if err != nil {
		return d, l.ErrorAt(2, "time %s, expected for instance 2020-03-15T10:07:33.000Z", read.Quote(group(1)))
	}
	for _, what := range []string{"created", "running", "gone", "failed", "any", "deleted"} {
		i := dimeLine().SubexpIndex(what)
		if m[2*i] < 0 {
			continue
		}
		d.what = what
		d.id = group(i)
		d.idColumn = m[2*i] + 1
		switch what {
		case "created":
			d.gpus, _ = strconv.Atoi(group(i + 1))
			d.gpu = read.GPUModel(group(i + 2))
			d.zone = group(i + 3)
		case "running", "gone":
			d.zone = group(i + 1)
		case "any":
			d.what = "failed"
			d.id = ""
			d.gpus, _ = strconv.Atoi(group(i))
			d.gpu = read.GPUModel(group(i + 1))
		}
	}
	return d, d.checkNames()
}

func (d *dimeSays) checkNames() error {
	for _, name := range []string{d.id, d.gpu, d.zone} {
		if name == "" {
			continue
		}
		if err := read.CheckName(name); err != nil {
			return d.ErrorAt(d.idColumn, "%s, %v", read.Quote(name), err)
		}
	}
	return nil
}
