package experiments

import (
	"math"
	"reflect"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/stats"
)

// Spread describes numbers: their mean, and the 5th, 50th and 95th percentile
// (the smallest number that is not below that share of them).
type Spread struct {
	Mean float64 `json:"mean"`
	P5   float64 `json:"p5"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
}

// spread returns nil for no numbers; it sorts them.
func spread(x []float64) *Spread {
	if len(x) == 0 {
		return nil
	}
	slices.Sort(x)
	return &Spread{
		Mean: stats.Mean(x),
		P5:   stats.NearestRank(x, 0.05),
		P50:  stats.NearestRank(x, 0.5),
		P95:  stats.NearestRank(x, 0.95),
	}
}

// numbers leaves out what is NaN.
func numbers(x []float64) []float64 { return slices.DeleteFunc(x, math.IsNaN) }

// column returns the numbers of a column of the runs that have one.
func column(rows []results.Summary, name string) (out []float64) {
	field := columnFields[name]
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem().Field(field)
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				continue
			}
			v = v.Elem()
		}
		if v.CanInt() {
			out = append(out, float64(v.Int()))
		} else {
			out = append(out, v.Float())
		}
	}
	return out
}

// columnFields are the fields of a run by column.
var columnFields = func() map[string]int {
	fields := map[string]int{}
	t := reflect.TypeFor[results.Summary]()
	for i := range t.NumField() {
		fields[t.Field(i).Tag.Get("col")] = i
	}
	return fields
}()

// sumUp fills the fields of a struct whose tags name a column of the runs: mean takes the mean, spread the Spread, of
// those runs that have a number; 0, or nil, where none has.
func sumUp(rows []results.Summary, into any) {
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		tag := v.Type().Field(i).Tag
		var x reflect.Value
		if name, has := tag.Lookup("mean"); has {
			x = reflect.ValueOf(stats.FiniteOrNil(stats.Mean(column(rows, name))))
		} else if name, has := tag.Lookup("spread"); has {
			x = reflect.ValueOf(spread(column(rows, name)))
		} else {
			continue
		}
		switch {
		case f.Kind() == reflect.Pointer:
			f.Set(x)
		case !x.IsNil():
			f.Set(x.Elem())
		}
	}
}
