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
		What: "the trace of a run of Weights & Biases as CSV, with the columns _step, _timestamp (or _runtime) and, " +
			"where there is one, loss, train_loss or train/loss. Write it with the public API and pandas; a Parquet " +
			"file can be turned into CSV with DuckDB",
		Example:   "_step,_timestamp,loss\n0,1767312000.25,2.5\n10,1767312010.25,2.4",
		Recognise: func(s *read.Source) bool { return s.HasColumns("_step") },
		Records: &formats.Records{
			Command: `python3 -c "import wandb; ` +
				`wandb.Api().run('TEAM/PROJECT/RUN').trace(keys=['_step','_timestamp','loss'], ` +
				`samples=10**9).to_csv('trace.csv', index=False)"`,
			From:  fromDocumentation,
			Lost:  "machines, saves and restarts (a fall of _step shows them), money",
			Read:  readWandb,
			Keep:  keepCurve,
			Write: writeWandb,
		},
	}, formats.Format{
		Name: "trainer-csv",
		Kind: formats.Run,
		What: "what a trainer of one's own writes: timestamp,step or timestamp,step,loss, one line a record; the " +
			"timestamp is RFC 3339, or seconds since 1970 or since the run began",
		Example:   "timestamp,step,loss\n2026-01-02T00:00:00Z,1,2.5\n2026-01-02T00:00:10Z,2,2.4",
		Recognise: isTrainer,
		Records: &formats.Records{
			From:  "its definition",
			Lost:  "machines, saves and restarts (a fall of the step shows them), money",
			Read:  readTrainer,
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

// addCurve adds the events of a record, unless it cannot be read.
func addCurve(in *formats.RunFile, r *read.Row, at int64, step, loss string) {
	c := curveOf(in, r, at, step, loss)
	if r.Err != nil {
		return
	}
	for _, e := range curveEvents(c) {
		e.Line = int32(min(r.Line, math.MaxInt32))
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

// curveOf reads step and loss of a record.
func curveOf(in *formats.RunFile, r *read.Row, at int64, step, loss string) curve {
	c := curve{at: at, loss: math.NaN()}
	c.step = read.Field(r, step, read.Number(0, ownruns.MaxValue))
	text := strings.ToLower(r.Text(loss))
	if text == "nan" || strings.HasSuffix(text, "inf") || strings.HasSuffix(text, "infinity") {
		in.Note("losses that are no numbers (%s) were left out", text)
		return c
	}
	c.loss = numberIn(r, loss, -ownruns.MaxValue, ownruns.MaxValue)
	return c
}

func readWandb(in *formats.RunFile) error {
	for r := range in.Table("_step") {
		clock := r.First("_timestamp", "_runtime")
		relative := clock == "_runtime"
		if len(in.Events) > 0 && relative != in.Relative {
			return r.Errorf("_timestamp", "a record with _timestamp, and one without, expected all or none to have it")
		}
		in.Relative = relative
		var at int64
		switch {
		case !relative:
			at = instantIn(in, r, clock)
		case r.Has(clock):
			at = int64(math.Round(read.Field(r, clock, read.Number(0, 1e9)) * 1e6))
		case r.Err == nil:
			return r.Errorf(clock, "no _timestamp and no _runtime, expected one of them")
		}
		addCurve(in, r, at, "_step", r.First("loss", "train/loss", "train_loss", "train/train_loss"))
		if r.Err != nil {
			return r.Err
		}
	}
	return nil
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
func isTrainer(s *read.Source) bool {
	header := s.FirstRecord()
	return header == "timestamp,step" || header == "timestamp,step,loss"
}

func readTrainer(in *formats.RunFile) error {
	for r := range in.Table("timestamp", "step") {
		at := instantIn(in, r, "timestamp")
		relative := at < ownruns.EpochSeconds*1e6
		if r.Err == nil && len(in.Events) > 0 && relative != in.Relative {
			return r.Errorf("timestamp", "timestamp %s counts from another beginning than those before, "+
				"expected all since 1970, or all since the run began", read.Quote(r.Text("timestamp")))
		}
		in.Relative = relative
		addCurve(in, r, at, "step", "loss")
		if r.Err != nil {
			return r.Err
		}
	}
	return nil
}

func writeTrainer(w *bufio.Writer, r *ownruns.Run) {
	w.WriteString("timestamp,step,loss\n")
	for _, c := range curvesOf(r) {
		fmt.Fprintf(w, "%s,%s,%s\n", formats.Unix(c.at), formats.Number(c.step), lossText(c.loss))
	}
}
