package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

const duckdbPackage = "@duckdb/node-api@1.5.6-r.1"

//go:embed scan.mjs
var duckdbScript string

// duckdb runs scan.mjs, one thread, on the table of prices.
type duckdb struct {
	script, table string
	version       string
	absent        string // why it cannot be run; empty if it can
}

// findDuckDB installs DuckDB with npm into a folder of the user's cache, if it is
// not there, and checks that it says of the table what ours does.
func findDuckDB(table string) duckdb {
	d := duckdb{table: table, version: "none"}
	cache, err := os.UserCacheDir()
	if err == nil {
		err = d.install(filepath.Join(cache, "marigram-tests", "duckdb"))
	}
	if err != nil {
		d.absent = err.Error()
		return d
	}
	got, version, _, err := d.call(1)
	want, wrong := scanOurs(table)
	switch {
	case err != nil || wrong != nil:
		d.absent = errors.Join(err, wrong).Error()
	case !slices.Equal(got, want):
		d.absent = "its sums are not ours"
	default:
		d.version = version + ", 1 thread"
	}
	return d
}

func (d *duckdb) install(folder string) error {
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := output(exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", folder, duckdbPackage)); err != nil {
			return err
		}
	}
	d.script = filepath.Join(folder, "scan.mjs")
	return os.WriteFile(d.script, []byte(duckdbScript), 0o644)
}

// call scans n times and returns the processor time of it all.
func (d duckdb) call(times int) (sums []poolSum, version string, cpu time.Duration, err error) {
	cmd := exec.Command("node", d.script, d.table, strconv.Itoa(times))
	answer, err := cmd.Output()
	if err != nil {
		return nil, "", 0, fmt.Errorf("scan.mjs: %w%s", err, lastLine(err))
	}
	var out struct {
		Version string
		Rows    [][4]int64
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return nil, "", 0, fmt.Errorf("scan.mjs: its answer: %w", err)
	}
	for _, r := range out.Rows {
		sums = append(sums, poolSum{r[0], r[1], r[2], r[3]})
	}
	return sums, out.Version, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// scan returns the processor time of a row, ns: the difference between few scans
// and many, which leaves out the start of the program.
func (d duckdb) scan() (float64, error) {
	const few, many = 2, 22
	_, _, start, err := d.call(few)
	if err != nil {
		return 0, err
	}
	_, _, stop, err := d.call(many)
	return perEvent(start, stop, (many-few)*scanRows), err
}
