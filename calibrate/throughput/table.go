package throughput

import (
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/csvtext"
)

// Open reads the table at path, see Read.
func Open(path string) (*Table, error) { return csvtext.Open(path, Read) }

// Read reads a table of speeds: CSV with the columns kind and gpus, and one for each model of GPU,
// whose cells are the steps a second that a job of the kind makes on n GPUs of the model, summed over
// them; 0: it does not run there. As kind, * stands for every kind without rows of its own; as gpus, * stands for every
// number without a row, and the speeds are those of one GPU. Errors name the file, line and column.
func Read(name string, r io.Reader) (*Table, error) {
	in, err := csvtext.Read(name, r, "kind", "gpus")
	if err != nil {
		return nil, err
	}
	t := &Table{rows: map[row][]float64{}}
	columns, gpus, err := models(in, "kind", "gpus")
	if err != nil {
		return nil, err
	}
	t.GPUs = gpus
	for i := range in.Rows {
		if err := t.read(in, i, columns); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// models returns the columns of speeds, those that are none of the others, and their models of GPU, both in the order of the latter.
func models(in *csvtext.Table, others ...string) (columns, gpus []string, err error) {
	for _, column := range in.Header {
		if !slices.Contains(others, column) {
			columns = append(columns, column)
		}
	}
	slices.SortFunc(columns, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	for i, column := range columns {
		gpu := strings.ToLower(column)
		if gpu == "" || i > 0 && gpu == gpus[i-1] {
			return nil, nil, in.HeaderErrorf(slices.Index(in.Header, column), "column %q, expected a column for each model of GPU, once", column)
		}
		gpus = append(gpus, gpu)
	}
	if columns == nil {
		return nil, nil, in.HeaderErrorf(0, "no column of speeds, expected one for each model of GPU next to %s", strings.Join(others, ", "))
	}
	return columns, gpus, nil
}

// read adds a row, whose speeds are in the columns.
func (t *Table) read(in *csvtext.Table, i int, columns []string) (err error) {
	of := row{kind: in.Text(i, "kind"), gpus: anyNumber}
	if of.kind == "" {
		return in.Errorf(i, "kind", "empty, expected the kind of job, or * for all others")
	}
	if in.Text(i, "gpus") != anyText {
		if of.gpus, err = in.Count(i, "gpus", 1, maxGPUs); err != nil {
			return err
		}
	}
	if t.rows[of] != nil {
		return in.Errorf(i, "kind", "%q on %s GPUs is given twice", of.kind, in.Text(i, "gpus"))
	}
	speeds := make([]float64, len(columns))
	for k, column := range columns {
		if speeds[k], err = in.Number(i, column, 0, maxSpeed); err != nil {
			return err
		}
	}
	if t.rows[of] = speeds; of.kind != anyText && !slices.Contains(t.Kinds, of.kind) {
		t.Kinds = append(t.Kinds, of.kind)
	}
	return nil
}
