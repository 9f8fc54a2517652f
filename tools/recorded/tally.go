package main

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// tally is what tests compared, by package and name.
type tally struct {
	rows     map[string]int         // by table, or part of one
	tables   map[[2]string][]string // that a test reads
	missing  map[[2]string][]string // sets for want of which a test is skipped
	compared map[string]bool        // tables that a test compared to its end
	wanted   map[string]bool        // sets for want of which some test was skipped
	skipped  int                    // such tests
	put      map[string]bool        // tables of these
}

func newTally() *tally {
	return &tally{rows: map[string]int{}, tables: map[[2]string][]string{}, missing: map[[2]string][]string{},
		compared: map[string]bool{}, wanted: map[string]bool{}, put: map[string]bool{}}
}

// end takes how a test ended: one that was skipped compared nothing.
func (t *tally) end(id [2]string, action string) {
	for _, path := range t.tables[id] {
		if action != "skip" {
			t.compared[path] = true
		} else if len(t.missing[id]) > 0 {
			t.put[path] = true
		}
	}
	if len(t.missing[id]) > 0 {
		t.skipped++
	}
	for _, name := range t.missing[id] {
		t.wanted[name] = true
	}
}

// report prints the counts.
func (t *tally) report(out io.Writer) {
	compared, put := 0, 0
	tables, putTables := map[string]bool{}, map[string]bool{}
	for path, n := range t.rows {
		switch {
		case t.compared[path]:
			compared += n
			tables[tableOf(path)] = true
		case t.put[path]:
			put += n
			putTables[tableOf(path)] = true
		}
	}
	if len(tables)+len(putTables)+t.skipped == 0 {
		return
	}
	fmt.Fprintf(out, "recorded rows: %d of %d tables compared", compared, len(tables))
	if t.skipped == 0 {
		fmt.Fprintln(out)
		return
	}
	fmt.Fprintf(out, "; %d rows of %d tables, and %d tests in all, not, for want of %s; make data gets them (make data FROM=folder from a local copy)\n",
		put, len(putTables), t.skipped, strings.Join(slices.Sorted(maps.Keys(t.wanted)), ", "))
}

// tableOf returns the table of a path, which may name a part of it.
func tableOf(path string) string {
	table, _, _ := strings.Cut(path, "#")
	return table
}

// unread returns the packed tables in testdata folders below a folder that no test read.
func (t *tally) unread(root string) (list []string, err error) {
	read := map[string]bool{}
	for path := range t.rows {
		read[tableOf(path)] = true
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		slashed := filepath.ToSlash(path)
		if table, packed := strings.CutSuffix(slashed, ".gz"); packed && strings.Contains("/"+slashed, "/testdata/") {
			if !read[table] {
				list = append(list, slashed)
			}
		}
		return nil
	})
	return list, err
}
