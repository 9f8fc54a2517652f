package runs

import (
	"bufio"
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

func init() {
	formats.Register(formats.Format{
		Name: "wandb-csv",
		Kind: formats.Run,
		What: "the trace of a run of Weights & Biases as CSV, with the columns _step, _timestamp (or _runtime) and, where there is one, loss, " +
			"train_loss or train/loss. Write it with the public API and pandas; a Parquet file can be turned into CSV with DuckDB",
		Example:   "_step,_timestamp,loss\n0,1767312000.25,2.5\n10,1767312010.25,2.4",
		Recognise: func(s *read.Source) bool { return hasColumns(s, ",", "_step") },
		Records: &formats.Records{
			Command: `python3 -c "import wandb; wandb.Api().run('TEAM/PROJECT/RUN').trace(keys=['_step','_timestamp','loss'], ` +
				`samples=10**9).to_csv('trace.csv', index=False)"`,
			From:  fromDocumentation,
			Lost:  "machines, saves and restarts (a fall of _step shows them), money",
			Read:  func(r *formats.RunFile) error { return readWandb(&input{r}) },
			Keep:  keepCurve,
			Write: writeWandb,
		},
	}, formats.Format{
		Name: "trainer-csv",
		Kind: formats.Run,
		What: "what a trainer of one's own writes: timestamp,step or timestamp,step,loss, one line a record; the timestamp is RFC 3339, or " +
			"seconds since 1970 or since the run began",
		Example:   "timestamp,step,loss\n2026-01-02T00:00:00Z,1,2.5\n2026-01-02T00:00:10Z,2,2.4",
		Recognise: func(s *read.Source) bool { h := header(s, ","); return isTrainer(h) },
		Records: &formats.Records{
			From:  "its definition",
			Lost:  "machines, saves and restarts (a fall of the step shows them), money",
			Read:  func(r *formats.RunFile) error { return readTrainer(&input{r}) },
			Keep:  keepCurve,
			Write: writeTrainer,
		},
	})
}

// curve is a record of training: a step and, if it was recorded, the loss.
type curve struct {
	at         int64
	step, loss float64
}

// addCurve adds the events of a record.
func (in *input) addCurve(c curve, line int) {
	for _, e := range curveEvents(c) {
		e.Line = int32(min(line, math.MaxInt32))
		in.Add(e)
	}
}

func curveEvents(c curve) []ownruns.Event {
	out := []ownruns.Event{ownruns.ValueEvent(c.at, ownruns.Step, c.step)}
	if !math.IsNaN(c.loss) {
		out = append(out, ownruns.ValueEvent(c.at, ownruns.Loss, c.loss))
	}
	return out
}

// curvesOf are the records of training that a run would have had: its steps, each with the
// loss of the same instant.
func curvesOf(r *ownruns.Run) (out []curve) {
	for i, e := range r.Events {
		if e.Kind != ownruns.Step {
			continue
		}
		c := curve{e.T, e.Value, math.NaN()}
		if n := len(out); n > 0 && out[n-1].at == e.T {
			out = append(out, c)
			continue
		}
		for j := i + 1; j < len(r.Events) && r.Events[j].T == e.T; j++ {
			if r.Events[j].Kind == ownruns.Loss {
				c.loss = r.Events[j].Value
				break
			}
		}
		out = append(out, c)
	}
	return out
}

func keepCurve(r *ownruns.Run) (out []ownruns.Event) {
	for _, c := range curvesOf(r) {
		out = append(out, curveEvents(c)...)
	}
	return out
}

// lossText is a loss as a table has it.
func lossText(loss float64) string {
	if math.IsNaN(loss) {
		return ""
	}
	return formats.Number(loss)
}

// curve reads step and loss of a record.
func (r *record) curve(at int64, step, loss string) (curve, error) {
	c := curve{at: at}
	var err error
	if c.step, err = r.number(step, 0, ownruns.MaxValue); err != nil {
		return c, err
	}
	if math.IsNaN(c.step) {
		return c, r.errorf(step, "%s is empty, expected the number of steps", step)
	}
	if text := strings.ToLower(r.text(loss)); text == "nan" || strings.HasSuffix(text, "inf") || strings.HasSuffix(text, "infinity") {
		r.in.Note("losses that are no numbers (%s) were left out", text)
		c.loss = math.NaN()
		return c, nil
	}
	c.loss, err = r.number(loss, -ownruns.MaxValue, ownruns.MaxValue)
	return c, err
}

func readWandb(in *input) error {
	return in.table(",", []string{"_step"}, func(r *record) error {
		var at int64
		var err error
		switch {
		case r.has("_timestamp"):
			at, err = r.instant("_timestamp")
		default:
			var s float64
			if s, err = r.number("_runtime", 0, 1e9); err == nil && math.IsNaN(s) {
				err = r.errorf("_runtime", "no _timestamp and no _runtime, expected one of them")
			}
			at = int64(math.Round(s * 1e6))
			if len(in.Events) > 0 && !in.Relative {
				err = r.errorf("_timestamp", "no _timestamp, which records before have")
			}
			in.Relative = true
		}
		if err == nil && r.has("_timestamp") && in.Relative {
			err = r.errorf("_timestamp", "a _timestamp, which records before have not")
		}
		if err != nil {
			return err
		}
		c, err := r.curve(at, "_step", r.first("loss", "train/loss", "train_loss", "train/train_loss"))
		if err == nil {
			in.addCurve(c, r.line)
		}
		return err
	})
}

func writeWandb(w *bufio.Writer, r *ownruns.Run) {
	clock := "_timestamp"
	if r.Relative {
		clock = "_runtime"
	}
	w.WriteString("_step," + clock + ",loss\n")
	for _, c := range curvesOf(r) {
		fmt.Fprintf(w, "%s,%s,%s\n", formats.Number(c.step), formats.Unix(c.at), lossText(c.loss))
	}
}

// isTrainer reports whether the columns are those of a trainer's records.
func isTrainer(columns []string) bool {
	return (len(columns) == 2 || len(columns) == 3 && columns[2] == "loss") && columns[0] == "timestamp" && columns[1] == "step"
}

func readTrainer(in *input) error {
	return in.table(",", []string{"timestamp", "step"}, func(r *record) error {
		at, err := r.instant("timestamp")
		if err != nil {
			return err
		}
		relative := at < ownruns.EpochSeconds*1e6
		if len(in.Events) > 0 && relative != in.Relative {
			return r.errorf("timestamp", "timestamp %s counts from another beginning than those before, expected all since 1970, or all since the run began",
				read.Quote(r.text("timestamp")))
		}
		in.Relative = relative
		c, err := r.curve(at, "step", "loss")
		if err == nil {
			in.addCurve(c, r.line)
		}
		return err
	})
}

func writeTrainer(w *bufio.Writer, r *ownruns.Run) {
	w.WriteString("timestamp,step,loss\n")
	for _, c := range curvesOf(r) {
		fmt.Fprintf(w, "%s,%s,%s\n", formats.Unix(c.at), formats.Number(c.step), lossText(c.loss))
	}
}
