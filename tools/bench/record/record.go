package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/atomicfile"
)

// place is what is measured, and where.
type place struct {
	Commit  string // abbreviated, with + where tracked files differ from it
	Date    string // of the commit
	Machine string // model and number of its processors, system and Go
}

// table is where records are kept.
const table = "tools/bench/record.csv"

// record is a row of the table: the median of some rounds of one benchmark.
type record struct {
	place
	Benchmark, Unit  string
	Median, Min, Max float64
	Rounds           int
}

var columns = []string{"commit", "date", "machine", "benchmark", "unit", "median", "least", "most", "rounds"}

func (r *record) row() []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
	return []string{r.Commit, r.Date, r.Machine, r.Benchmark, r.Unit, number(r.Median), number(r.Min), number(r.Max),
		strconv.Itoa(r.Rounds)}
}

// load reads a table; none is an empty one.
func load(path string) ([]record, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(path, f)
}

func read(path string, from io.Reader) (list []record, err error) {
	c := csv.NewReader(from)
	head, err := c.Read()
	if err != nil || !slices.Equal(head, columns) {
		return nil, fmt.Errorf("%s:1: %v: %q, expected %s", path, err, head, strings.Join(columns, ","))
	}
	for {
		row, err := c.Read()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := c.FieldPos(0)
		r := record{place: place{row[0], row[1], row[2]}, Benchmark: row[3], Unit: row[4]}
		for i, at := range []*float64{&r.Median, &r.Min, &r.Max} {
			if *at, err = strconv.ParseFloat(row[5+i], 64); err != nil || !(*at > 0) || math.IsInf(*at, 0) {
				return nil, fmt.Errorf("%s:%d: %s %q, expected a number above 0", path, line, columns[5+i], row[5+i])
			}
		}
		if r.Rounds, err = strconv.Atoi(row[8]); err != nil || r.Rounds < 1 {
			return nil, fmt.Errorf("%s:%d: rounds %q, expected 1 or more", path, line, row[8])
		}
		list = append(list, r)
	}
}

func save(path string, list []record) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		rows := [][]string{columns}
		for i := range list {
			rows = append(rows, list[i].row())
		}
		return c.WriteAll(rows)
	})
}

// of returns the records of a kind of machine.
func of(list []record, machine string) (out []record) {
	for _, r := range list {
		if r.Machine == machine {
			out = append(out, r)
		}
	}
	return out
}

// last returns the last record of each benchmark on such a machine.
func last(list []record, at place) map[string]record {
	out := map[string]record{}
	for _, r := range of(list, at.Machine) {
		out[r.Benchmark] = r
	}
	return out
}
