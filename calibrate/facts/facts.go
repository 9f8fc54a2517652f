// Package facts holds the tables of published numbers that come with marigram.
// The lines at the top of a table that begin with # say where it is from.
package facts

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.csv
var files embed.FS

// Read returns the rows of the table name.csv. Columns are found by the col tags
// of T, a struct of strings, ints and float64s; an empty number is NaN. It panics
// where there is no such table, or T does not fit it: tables are part of the
// program.
func Read[T any](name string) []T {
	return ReadFrom[T](files, name)
}

// ReadFrom is Read of a table that other files hold, such as those of a paper.
func ReadFrom[T any](files fs.FS, name string) []T {
	data, err := fs.ReadFile(files, name+".csv")
	if err != nil {
		panic("facts: no table " + name)
	}
	in := csv.NewReader(bytes.NewReader(data))
	in.Comment = '#'
	table, err := in.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("facts: %s: %v", name, err))
	}
	rows := make([]T, len(table)-1)
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		for k := range v.NumField() {
			column := v.Type().Field(k).Tag.Get("col")
			at := slices.Index(table[0], column)
			if at < 0 {
				panic(fmt.Sprintf("facts: %s has no column %q", name, column))
			}
			if err := set(v.Field(k), table[i+1][at]); err != nil {
				panic(fmt.Sprintf("facts: %s, row %d, %s: %v", name, i+1, column, err))
			}
			watch.number(name, column, v.Field(k))
		}
	}
	return rows
}

func set(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int:
		n, err := strconv.Atoi(text)
		v.SetInt(int64(n))
		return err
	default:
		if text == "" {
			v.SetFloat(math.NaN())
			return nil
		}
		x, err := strconv.ParseFloat(text, 64)
		v.SetFloat(x)
		return err
	}
	return nil
}

// Profiles are the measured profiles that come with marigram: NAME.runs.csv of measured runs for fits, and
// NAME.profile.csv of instance types with NAME.coefficients.csv for specs. A folder that the profiler wrote holds one
// of runs for each precision: h100/bf16. ../PROFILES.md says where each is from.
//
//go:embed *.runs.csv *.profile.csv *.coefficients.csv */*.runs.csv
var Profiles embed.FS

// ProfileNames returns the files whose names end in suffix, without it, sorted.
func ProfileNames(suffix string) []string {
	var names []string
	for _, pattern := range []string{"*", "*/*"} {
		files, err := fs.Glob(Profiles, pattern+suffix)
		if err != nil {
			panic("profiles: " + err.Error())
		}
		for _, file := range files {
			names = append(names, strings.TrimSuffix(file, suffix))
		}
	}
	slices.Sort(names)
	return names
}
