// Package material reads the tables beside the checkout from which published numbers
// were taken, for tests.
package material

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Rows returns the rows of a table of ../shared by column, or skips the test of a
// package two folders below experiments.
func Rows(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("../../../../shared", path))
	if err != nil {
		t.Skip("needs ../shared beside the checkout: ", err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, r := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Number returns the number of a cell.
func Number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
