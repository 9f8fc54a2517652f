package calibrate

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
)

//go:embed facts/*.csv
var facts embed.FS

// Facts returns the rows of a table of published facts that comes with
// marigram, facts/<name>.csv. The lines at its top that begin with # say where
// it is from. Columns are found by the col tags of T, a struct of strings, ints
// and float64s; an empty number is NaN. A table that T does not fit panics:
// tables are part of the program.
func Facts[T any](name string) []T {
	data, err := facts.ReadFile("facts/" + name + ".csv")
	if err != nil {
		panic("calibrate: no facts " + name)
	}
	in := csv.NewReader(bytes.NewReader(data))
	in.Comment = '#'
	table, err := in.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("calibrate: facts %s: %v", name, err))
	}
	rows := make([]T, len(table)-1)
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		for k := range v.NumField() {
			column := v.Type().Field(k).Tag.Get("col")
			at := slices.Index(table[0], column)
			if at < 0 {
				panic(fmt.Sprintf("calibrate: facts %s have no column %q", name, column))
			}
			if err := setFact(v.Field(k), table[i+1][at]); err != nil {
				panic(fmt.Sprintf("calibrate: facts %s, row %d, %s: %v", name, i+1, column, err))
			}
		}
	}
	return rows
}

func setFact(v reflect.Value, text string) error {
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
