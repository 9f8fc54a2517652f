package vtrain

import (
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/calibrate/layout"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/papers"
)

// set is the data set with measured layouts, and tables are its files: of one node, and of many.
const set = "vtrain"

var tables = [2]string{"data/ground_truth_single.csv", "data/ground_truth_multi.csv"}

// part has some rows of both files in one, with a column set. It counts where the files are not there.
const part = "visible.csv"

// vocabulary is not in the files: GPT-2's, padded to a multiple of 128 times 8, as Megatron does.
const vocabulary = 51200

// row is a measured layout.
type row struct {
	gpus, batch, micro, hidden, heads, layers, seq, tp, dp, pp int

	seconds float64       // of a step
	planned layout.Layout // the same as layout.Model takes it
}

// columns are the layout's, by their names in the files and in the part of them.
func (r *row) columns() []column {
	return []column{
		{[]string{"# GPUs", "gpus"}, &r.gpus},
		{[]string{"global batch", "global_batch"}, &r.batch},
		{[]string{"micro batch", "micro_batch"}, &r.micro},
		{[]string{"hidden size", "hidden"}, &r.hidden},
		{[]string{"attention heads", "heads"}, &r.heads},
		{[]string{"# layers", "layers"}, &r.layers},
		{[]string{"sequence length", "seq"}, &r.seq},
		{[]string{"tensor parallelism", "tp"}, &r.tp},
		{[]string{"data parallelism", "dp"}, &r.dp},
		{[]string{"pipeline parallelism", "pp"}, &r.pp},
	}
}

// column is a number of a row.
type column struct {
	names []string
	value *int
}

// String names a layout by its numbers.
func (r *row) String() string {
	var numbers []string
	for _, c := range r.columns() {
		numbers = append(numbers, strconv.Itoa(*c.value))
	}
	return strings.Join(numbers, ",")
}

// many reports whether a layout is on more than one node.
func (r *row) many() bool { return r.gpus > nodeGPUs }

// nodeGPUs are those of a node.
const nodeGPUs = 8

// fitted reports whether a row is of the half that numbers are fitted to: by a hash of the layout, so that one that was
// measured twice is on one side.
func (r *row) fitted() bool {
	sum := sha256.Sum256([]byte(r.String()))
	return sum[0]%2 == 0
}

// network returns what is trained.
func (r *row) network() layout.Transformer {
	return layout.Transformer{Hidden: r.hidden, Heads: r.heads, Layers: r.layers, Seq: r.seq, Vocab: vocabulary}
}

// where is the only zone.
const where = "here"

// layout returns the layout: as many layers in each stage, and the logits in the last one.
func (r *row) layout() layout.Layout {
	out := layout.Layout{Micro: r.micro, Batch: r.batch}
	each := r.layers / r.pp
	place := layout.Place{GPU: "A100", Zone: where, Node: nodeGPUs, TP: r.tp}
	for stage := range r.pp {
		var layers []int
		for k := range each {
			layers = append(layers, stage*each+k)
		}
		if stage == r.pp-1 {
			layers = append(layers, r.layers)
		}
		out.Stages = append(out.Stages, layout.Stage{Layers: layers, Replicas: slices.Repeat([]layout.Place{place}, r.dp)})
	}
	return out
}

// measured returns the measured layouts: of the files, or of the part of them that is there.
func measured() ([]row, error) {
	var rows []row
	for _, file := range tables {
		path, err := papers.PulledFile(set, file)
		if err != nil {
			return nil, err
		}
		list, err := read(path)
		if errors.Is(err, fs.ErrNotExist) {
			if path, err = papers.PulledFile(set, part); err != nil {
				return nil, err
			}
			return read(path)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, list...)
	}
	return rows, nil
}

func read(path string) ([]row, error) {
	in, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	rows, err := parse(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// parse reads rows. Errors name the line.
func parse(in io.Reader) ([]row, error) {
	reader := csv.NewReader(in)
	head, err := reader.Read()
	if err != nil {
		return nil, err
	}
	head[0] = strings.TrimPrefix(head[0], "\ufeff")
	var rows []row
	for {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		r, err := parseRow(head, text)
		if err != nil {
			line, _ := reader.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		rows = append(rows, r)
	}
}

// timeNames are those of the column with the time of a step, ms.
var timeNames = []string{"iteration time (ms)", "step_ms"}

func parseRow(head, text []string) (r row, err error) {
	for _, c := range r.columns() {
		cell, err := cellOf(head, text, c.names)
		if err != nil {
			return r, err
		}
		if *c.value, err = strconv.Atoi(cell); err != nil || *c.value < 1 {
			return r, fmt.Errorf("%s is %q, expected a whole number from 1", c.names[0], cell)
		}
	}
	cell, err := cellOf(head, text, timeNames)
	if err != nil {
		return r, err
	}
	ms, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(ms > 0) {
		return r, fmt.Errorf("%s is %q, expected a time above 0", timeNames[0], cell)
	}
	r.seconds = ms / 1000
	if r.gpus != r.tp*r.dp*r.pp || r.layers%r.pp != 0 {
		return r, fmt.Errorf("%d GPUs, tensor %d, data %d, pipeline %d, %d layers: they do not go together",
			r.gpus, r.tp, r.dp, r.pp, r.layers)
	}
	r.planned = r.layout()
	return r, nil
}

// cellOf returns the cell below one of the names of a column.
func cellOf(head, text, names []string) (string, error) {
	for _, name := range names {
		if k := slices.Index(head, name); k >= 0 && k < len(text) {
			return text[k], nil
		}
	}
	return "", fmt.Errorf("no column %s, there are %s", names[0], strings.Join(head, ", "))
}
