package jobs

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces"
)

// writeMinimal writes the jobs of a set in the minimal form, with the columns in which
// something is said. A job whose duration or number of GPUs is not known has no place
// there.
func writeMinimal(s *traces.Set, w *bufio.Writer) error {
	if len(s.Jobs) == 0 {
		return errors.New("it has no jobs")
	}
	said := make([]bool, len(minimalColumns))
	var rows [][]string
	for i := range s.Jobs {
		row, err := minimalRow(&s.Jobs[i], i, s.Jobs[0].T)
		if err != nil {
			return err
		}
		for k, cell := range row {
			said[k] = said[k] || cell != "" || k < 4
		}
		rows = append(rows, row)
	}
	writeCells(w, minimalColumns, said)
	for _, row := range rows {
		writeCells(w, row, said)
	}
	return nil
}

// writeCells writes a line of the columns that are wanted.
func writeCells(w *bufio.Writer, row []string, wanted []bool) {
	first := true
	for k, cell := range row {
		if !wanted[k] {
			continue
		}
		if !first {
			w.WriteByte(',')
		}
		first = false
		w.WriteString(cell)
	}
	w.WriteByte('\n')
}

// minimalRow returns a job as cells of the minimal form; first is the instant of the
// first submission, us UTC.
func minimalRow(j *traces.JobRow, row int, first int64) ([]string, error) {
	if j.DurationUs == nil || *j.DurationUs == 0 || j.GPUs < minGPUs {
		return nil, fmt.Errorf("jobs row %d (%s) has no duration or no GPUs", row, j.JobID)
	}
	id, spot := j.JobID, ""
	if id == "" {
		id = strconv.Itoa(row)
	}
	if j.Class == classSpot {
		spot = "1"
	}
	tasks := ""
	if j.Tasks != nil {
		tasks = strconv.Itoa(int(*j.Tasks))
	}
	since := j.T - first
	cells := []string{id, secondsText(&since), number(&j.GPUs), secondsText(j.DurationUs), j.Model, j.GPUType, number(j.Work),
		number(j.Weight), secondsText(j.DeadlineUs), j.User, j.VC, j.Status, number(j.CPUs), number(j.MemoryGB), tasks, spot, j.DurationOn}
	if at := slices.IndexFunc(cells, func(c string) bool { return strings.ContainsRune(c, ',') }); at >= 0 {
		return nil, fmt.Errorf("jobs row %d: %s %q has a comma", row, minimalColumns[at], cells[at])
	}
	return cells, nil
}

func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// secondsText writes microseconds as seconds, exactly.
func secondsText(us *int64) string {
	if us == nil {
		return ""
	}
	text := fmt.Sprintf("%d.%06d", *us/1e6, *us%1e6)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
