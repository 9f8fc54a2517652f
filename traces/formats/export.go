package formats

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/marigram/marigram/traces/ownruns"
)

// ExportRun writes a run in a format, as its vendor's records of it would look. It returns what
// the format has no place for: numbers of events by kind. What is in the file, ImportRun gives
// back.
func ExportRun(format string, r *ownruns.Run, w io.Writer) (lost []string, err error) {
	f, err := Named(format)
	if err != nil {
		return nil, err
	}
	if f.Records == nil {
		return nil, fmt.Errorf("format %s does not record a run", format)
	}
	b := bufio.NewWriter(w)
	f.Records.Write(b, r)
	if err := b.Flush(); err != nil {
		return nil, fmt.Errorf("export as %s: %w", format, err)
	}
	return lostBy(&f, r), nil
}

// lostBy counts the events of a run that do not come back, by kind.
func lostBy(f *Format, r *ownruns.Run) []string {
	missing := map[ownruns.Kind]int{}
	for i := range r.Events {
		missing[r.Events[i].Kind]++
	}
	for _, e := range f.Records.Keep(r) {
		missing[e.Kind]--
	}
	var lost []string
	if clocked := f.Name == "plain-csv" || f.Name == "wandb-csv" || f.Name == "trainer-csv"; r.Relative && !clocked {
		lost = append(lost, "the run's beginning (it is put at 1970)")
	}
	for _, k := range slices.Sorted(maps.Keys(missing)) {
		if n := missing[k]; n > 0 {
			lost = append(lost, fmt.Sprintf("%d %s", n, k))
		}
	}
	return lost
}

// WholeSeconds and Millis cut an instant to what a format's clock shows.
func WholeSeconds(us int64) int64 { return us - us%1e6 }

func Millis(us int64) int64 { return us - us%1e3 }

// Unix is an instant in seconds since 1970, to the microsecond.
func Unix(us int64) string { return fmt.Sprintf("%d.%06d", us/1e6, us%1e6) }

// Calendar is an instant as a format's clock writes it, in UTC.
func Calendar(us int64, layout string) string { return time.UnixMicro(us).UTC().Format(layout) }

// Number writes a number in the fewest digits that give it back.
func Number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// WriteJSON writes a value and a line end.
func WriteJSON(w *bufio.Writer, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // values of structs of texts and numbers
	}
	w.Write(text)
	w.WriteByte('\n')
}
