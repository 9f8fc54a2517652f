package runs

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
	"github.com/marigram/marigram/traces/ownruns"
)

func init() {
	formats.Register(formats.Format{
		Name: "mlflow-metric",
		Kind: formats.Run,
		What: "a metric of MLflow's file store, metrics/KEY of a run: lines of a time in milliseconds, a value and a " +
			"step. The value counts as the loss if the file's name has the word loss",
		Example:   "1767312000250 2.5 0\n1767312001250 2.4 3",
		Recognise: isMLflow,
		Records: &formats.Records{
			Command: "cp mlruns/EXPERIMENT/RUN/metrics/loss .",
			From:    fromDocumentation,
			Lost: "machines, saves and restarts (a fall of the step shows them), money, finer parts of time than a " +
				"millisecond",
			Read:  readMLflow,
			Keep:  keepMLflow,
			Write: writeMLflow,
		},
	})
}

// maxMillis is the latest time that is believed, ms: of the year 2199.
const maxMillis = 7_258_118_400_000

// isMLflow reports whether the first line is a time in milliseconds, a value and a step.
func isMLflow(s *read.Source) bool {
	f := strings.Fields(s.FirstLine())
	if len(f) != 3 || len(f[0]) < 12 || len(f[0]) > 13 {
		return false
	}
	if !read.IsDigits(f[0]) || !read.IsDigits(strings.TrimPrefix(f[2], "-")) {
		return false
	}
	_, err := strconv.ParseFloat(f[1], 64)
	return err == nil
}

func readMLflow(in *formats.RunFile) error {
	columns := []string{"time", "value", "step"}
	if strings.Contains(strings.ToLower(in.Base()), "loss") {
		columns[1] = "loss"
	}
	for l := range in.Lines() {
		r := l.Split(" ", columns)
		addCurve(in, r, read.Field(r, "time", parseMillis), "step", "loss")
		if r.Err != nil {
			return r.Err
		}
	}
	return nil
}

// parseMillis reads milliseconds since 1970, in us.
func parseMillis(text string) (int64, error) {
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > maxMillis {
		return 0, errors.New("expected milliseconds since 1970")
	}
	return ms * 1000, nil
}

// keepMLflow are the steps: an exported metric is the step itself.
func keepMLflow(r *ownruns.Run) (out []ownruns.Event) {
	for _, c := range curvesOf(r) {
		if c.step == math.Floor(c.step) && c.step < 1e15 {
			out = append(out, ownruns.ValueEvent(formats.Millis(c.at), ownruns.Step, c.step))
		}
	}
	return out
}

func writeMLflow(w *bufio.Writer, r *ownruns.Run) {
	for _, e := range keepMLflow(r) {
		fmt.Fprintf(w, "%013d %s %s\n", e.T/1000, formats.Number(e.Value), formats.Number(e.Value))
	}
}
