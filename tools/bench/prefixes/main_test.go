package main

import "testing"

// Three runs of 10 s agree for 4 s; two of them for 7 s: 4 + 6 + 3 + 3 + 3 of 30 s.
func TestUnion(t *testing.T) {
	run := func(kinds string) (m []moment) {
		ends := []float64{4, 7, 10}
		for i, k := range kinds {
			m = append(m, moment{end: ends[i], activity: string(k)})
		}
		return m
	}
	if left := union([][]moment{run("abc"), run("abd"), run("aef")}, 0, 0); left != 4+3+3+3+6 {
		t.Errorf("%v s, expected 19", left)
	}
}
