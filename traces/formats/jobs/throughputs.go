package jobs

import (
	"errors"
	"slices"
	"strconv"

	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var (
	gavelLine = read.Pattern(`^[^\t]+\t[^\t]+\t(` +
		`[^\t]*\t-[^\t]+\t\d\t[0-9.]+\t\d+\t[0-9.]+\t-?[0-9.]+\t[0-9.]+|` +
		`-[^\t]+\t\d\t[0-9.]+\t[0-9.]+\t\d+)$`)
	gavelFields = [][]string{
		{"model", "command", "work directory", "steps flag", "needs data", "steps", "scale factor", "priority weight",
			"objective", "arrival"},
		{"model", "command", "steps flag", "needs data", "steps", "arrival", "scale factor"},
	}
)

// gavelFormat reads the job traces of Gavel's simulator.
var gavelFormat = formats.Format{
	Name: "gavel-jobs",
	Kind: formats.Jobs,
	What: "tab-separated jobs of Gavel's simulator, with 7 or 10 fields: model, command, steps to do, GPUs, " +
		"arrival in seconds since the start; the command and its flags are not kept",
	Example: "ResNet-18 (batch size 128)\tpython3 main.py --data_dir=%s/cifar10 --batch_size " +
		"128\timage_classification/cifar10\t--num_steps\t1\t925982\t4\t1\t-1.000000\t0",
	Version:   2,
	Clock:     traces.ClockRelative,
	Recognise: func(s *read.Source) bool { return s.FirstMatches(gavelLine) },
	New:       func(b *formats.Builder) formats.Importer { return &gavel{Builder: b} },
}

// gavel reads traces of jobs.
type gavel struct {
	*formats.Builder
	jobs int // of all files so far
}

func (b *gavel) Read(s *read.Source) error {
	if b.jobs > 0 && b.Manifest.ClockKind == traces.ClockRelative {
		b.Notef("the jobs of several files are on one relative clock, as if all had begun together")
	}
	origin := b.Beginning(s)
	last := int64(0)
	objectives := 0
	for l := range s.Lines() {
		r := l.Split("\t", gavelFields...)
		j := gavelJob(r)
		if r.Err != nil {
			return r.Err
		}
		if j.T < last {
			b.Report.OutOfOrder++
		}
		last = j.T
		if r.Has("objective") && r.Text("objective")[0] != '-' {
			objectives++
		}
		if j.T += origin; j.T > traces.MaxInstant {
			return r.Errorf("arrival", "arrival %s is after the year 2199", read.Quote(r.Text("arrival")))
		}
		b.AddJob(j)
		b.jobs++
	}
	if objectives > 0 {
		b.Notef("%s: %d jobs have an objective, a multiple of a duration that is not in the trace; it is not kept",
			s.Base(), objectives)
	}
	return nil
}

func gavelJob(r *read.Row) traces.JobRow {
	j := traces.JobRow{
		Model: r.Name("model"), Work: new(read.Field(r, "steps", read.Number(0, maxSteps))),
		GPUs: float64(read.Field(r, "scale factor", read.WholeNumber)), T: read.Field(r, "arrival", read.Seconds),
		SrcFile: r.Source.Index, SrcRow: int64(r.Line),
	}
	if slices.Contains(r.Names, "objective") {
		j.Weight = new(read.Field(r, "priority weight", numberOrNone))
		read.Field(r, "objective", numberOrNone)
	}
	return j
}

func numberOrNone(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !stats.Finite(x) {
		return 0, errors.New("expected a number, -1 for none")
	}
	return x, nil
}
