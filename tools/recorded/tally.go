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
	rows     map[string]int         // by table
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
	compared, tables, put, putTables := 0, 0, 0, 0
	for path, n := range t.rows {
		switch {
		case t.compared[path]:
			compared, tables = compared+n, tables+1
		case t.put[path]:
			put, putTables = put+n, putTables+1
		}
	}
	if tables+putTables+t.skipped == 0 {
		return
	}
	fmt.Fprintf(out, "recorded rows: %d of %d tables compared", compared, tables)
	if t.skipped == 0 {
		fmt.Fprintln(out)
		return
	}
	fmt.Fprintf(out, "; %d rows of %d tables, and %d tests in all, not, for want of %s; make data gets them (make data FROM=folder from a local copy)\n",
		put, putTables, t.skipped, strings.Join(slices.Sorted(maps.Keys(t.wanted)), ", "))
}

// unread returns the packed tables in testdata folders below a folder that no test read.
func (t *tally) unread(root string) (list []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		slashed := filepath.ToSlash(path)
		if table, packed := strings.CutSuffix(slashed, ".gz"); packed && strings.Contains("/"+slashed, "/testdata/") {
			if _, read := t.rows[table]; !read {
				list = append(list, slashed)
			}
		}
		return nil
	})
	return list, err
}
