package jobs

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

var (
	gavelLine   = read.Pattern(`^[^\t]+\t[^\t]+\t([^\t]*\t-[^\t]+\t\d\t[0-9.]+\t\d+\t[0-9.]+\t-?[0-9.]+\t[0-9.]+|-[^\t]+\t\d\t[0-9.]+\t[0-9.]+\t\d+)$`)
	gavelFields = map[int]gavelColumns{
		7:  {steps: 4, arrival: 5, gpus: 6},
		10: {steps: 5, gpus: 6, weight: 7, slo: 8, arrival: 9},
	}
)

// gavelColumns says where a job's values stand; 0: nowhere.
type gavelColumns struct{ steps, arrival, gpus, weight, slo int }

// gavelFormat reads the job traces of Gavel's simulator.
var gavelFormat = formats.Format{
	Name: "gavel-jobs",
	Kind: formats.Jobs,
	What: "tab-separated jobs of Gavel's simulator, with 7 or 10 fields: model, command, steps to do, GPUs, " +
		"arrival in seconds since the start; the command and its flags are not kept",
	Example: "ResNet-18 (batch size 128)\tpython3 main.py --data_dir=%s/cifar10 --batch_size " +
		"128\timage_classification/cifar10\t--num_steps\t1\t925982\t4\t1\t-1.000000\t0",
	Version:   2,
	Recognise: func(s *read.Source) bool { return s.FirstMatches(gavelLine) },
	New:       func(b *formats.Builder) formats.Importer { return &gavel{Builder: b} },
}

// gavel reads traces of jobs.
type gavel struct {
	*formats.Builder
	jobs int // of all files so far
}

func (b *gavel) Read(s *read.Source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = b.RelativeClock(), traces.SemanticsJobs
	if b.jobs > 0 && b.Manifest.ClockKind == traces.ClockRelative {
		b.Notef("the jobs of several files are on one relative clock, as if all had begun together")
	}
	origin, last, slos := b.Beginning(s), int64(0), 0
	for l := range s.Lines() {
		f, column, err := l.Split("\t", 10, 7)
		if err != nil {
			return err
		}
		at := gavelFields[len(f)]
		j, err := gavelJob(l, f, column, at)
		if err != nil {
			return err
		}
		if j.T < last {
			b.Report.OutOfOrder++
		}
		last = j.T
		if at.slo > 0 && f[at.slo][0] != '-' {
			slos++
		}
		if j.T += origin; j.T > traces.MaxInstant {
			return l.ErrorAt(column[at.arrival], "arrival %s is after the year 2199", read.Quote(f[at.arrival]))
		}
		j.SrcFile = s.Index
		b.AddJob(j)
		b.jobs++
	}
	if slos > 0 {
		b.Notef("%s: %d jobs have an objective, a multiple of a duration that is not in the trace; it is not kept", s.Base(),
			slos)
	}
	return nil
}

func gavelJob(l read.Line, f []string, column []int, at gavelColumns) (j traces.JobRow, err error) {
	fail := func(i int, what string, err error) (traces.JobRow, error) {
		return j, l.ErrorAt(column[i], "%s %s, %v", what, read.Quote(f[i]), err)
	}
	j.SrcRow, j.Model = int64(l.Number), f[0]
	if err := read.CheckName(f[0]); err != nil {
		return fail(0, "model", err)
	}
	steps, err := strconv.ParseFloat(f[at.steps], 64)
	if err != nil || !(steps >= 0 && steps <= maxSteps) {
		return fail(at.steps, "steps", fmt.Errorf("expected a number from 0 to %v", maxSteps))
	}
	j.Work = &steps
	gpus, err := read.WholeNumber(f[at.gpus])
	if err != nil {
		return fail(at.gpus, "scale factor", err)
	}
	j.GPUs = float64(gpus)
	if j.T, err = read.Seconds(f[at.arrival]); err != nil {
		return fail(at.arrival, "arrival", err)
	}
	for _, o := range []struct {
		i    int
		what string
		into **float64
	}{{at.weight, "priority weight", &j.Weight}, {at.slo, "objective", nil}} {
		if o.i == 0 {
			continue
		}
		x, err := strconv.ParseFloat(f[o.i], 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fail(o.i, o.what, errors.New("expected a number, -1 for none"))
		}
		if o.into != nil {
			*o.into = &x
		}
	}
	return j, nil
}
