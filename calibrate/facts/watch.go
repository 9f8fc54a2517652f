package facts

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"sync"
)

// Column is a column of numbers of a table.
type Column struct{ Table, Name string }

// watch is told of every number that is read, for analyses of sensitivity.
var watch watcher

type watcher struct {
	sync.Mutex
	on     bool
	seen   map[Column]bool
	scaled Column
	factor float64
}

// number notes a column of numbers, and scales those of the one that is perturbed: whole
// numbers by one at least.
func (w *watcher) number(table, column string, v reflect.Value) {
	w.Lock()
	defer w.Unlock()
	if !w.on || v.Kind() == reflect.String {
		return
	}
	c := Column{table, column}
	w.seen[c] = true
	switch {
	case c != w.scaled:
	case v.Kind() == reflect.Int:
		v.SetInt(int64(math.Ceil(math.Round(float64(v.Int())*w.factor*1e6) / 1e6)))
	default:
		v.SetFloat(v.Float() * w.factor)
	}
}

// Number tells Watch of a number of a published table that Read does not read, and makes it
// larger where Watch says so. x points to an int or a float64.
func Number(table, column string, x any) { watch.number(table, column, reflect.ValueOf(x).Elem()) }

// Watch calls f, with all numbers of a column times factor (the zero Column: none), and
// returns the columns of numbers that were read meanwhile, sorted. It is for analyses of
// sensitivity alone: everything that reads tables at the time is affected.
func Watch(scaled Column, factor float64, f func()) []Column {
	watch.Lock()
	watch.on, watch.seen, watch.scaled, watch.factor = true, map[Column]bool{}, scaled, factor
	watch.Unlock()
	defer func() { watch.Lock(); watch.on = false; watch.Unlock() }()
	f()
	watch.Lock()
	defer watch.Unlock()
	var list []Column
	for c := range watch.seen {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Column) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name))
	})
	return list
}
