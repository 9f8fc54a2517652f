package ownruns

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/csvtext"
)

// WriteCSV writes a run as the plain CSV, which ReadCSV gives back: the same events, with
// this file and its lines as their source. The run's name and notes are not in it.
func WriteCSV(w io.Writer, r *Run) error {
	b := bufio.NewWriter(w)
	b.WriteString(Header)
	b.WriteByte('\n')
	for i := range r.Events {
		e := &r.Events[i]
		kindOfMachine := e.Type
		if e.OnDemand {
			kindOfMachine += onDemand
		}
		value := ""
		if !math.IsNaN(e.Value) {
			value = number(e.Value)
		}
		for j, field := range []string{r.stamp(e.T), e.Kind.String(), e.Instance, kindOfMachine, e.Zone, value} {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(csvtext.Quote(field))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// stamp is an instant as the CSV has it.
func (r *Run) stamp(us int64) string {
	if !r.Relative {
		return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	}
	text := strconv.FormatInt(us/1e6, 10)
	if part := us % 1e6; part != 0 {
		digits := strconv.FormatInt(1e6+part, 10)[1:]
		text += "." + strings.TrimRight(digits, "0")
	}
	return text
}
