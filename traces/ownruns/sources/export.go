package sources

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/marigram/marigram/traces/ownruns"
)

// Export writes a run in a format, as its vendor's records of it would look. It returns what
// the format has no place for: numbers of events by kind. What is in the file, Load gives
// back.
func Export(format string, r *ownruns.Run, w io.Writer) (lost []string, err error) {
	f, err := Named(format)
	if err != nil {
		return nil, err
	}
	b := bufio.NewWriter(w)
	f.Write(b, r)
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
	for _, e := range f.Keep(r) {
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

// wholeSeconds and millis cut an instant to what a format's clock shows.
func wholeSeconds(us int64) int64 { return us - us%1e6 }
func millis(us int64) int64       { return us - us%1e3 }

// unix is an instant in seconds since 1970, to the microsecond.
func unix(us int64) string { return fmt.Sprintf("%d.%06d", us/1e6, us%1e6) }

// calendar is an instant as a format's clock writes it, in UTC.
func calendar(us int64, layout string) string { return time.UnixMicro(us).UTC().Format(layout) }

// number writes a number in the fewest digits that give it back.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// writeJSON writes a value and a line end.
func writeJSON(w *bufio.Writer, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // values of structs of texts and numbers
	}
	w.Write(text)
	w.WriteByte('\n')
}

// event is an event that says nothing but its kind.
func event(at int64, kind ownruns.Kind) ownruns.Event {
	return ownruns.Event{T: at, Kind: kind, Value: math.NaN()}
}

// ofMachine is an event of a machine.
func ofMachine(at int64, kind ownruns.Kind, instance, zone string) ownruns.Event {
	e := event(at, kind)
	e.Instance, e.Zone = instance, zone
	return e
}

// valued is an event of the run with a value.
func valued(at int64, kind ownruns.Kind, value float64) ownruns.Event {
	e := event(at, kind)
	e.Value = value
	return e
}
