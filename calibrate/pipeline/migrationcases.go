package pipeline

import (
	"slices"
)

// migrationCase is a class of sets of preempted instances.
type migrationCase struct {
	balance
	ways float64
}

// migrationCases are some of different balance.
type migrationCases struct {
	all []migrationCase
	at  map[balance]int // of many
}

const manyCases = 32

func (l *migrationCases) clear() {
	l.all = l.all[:0]
	clear(l.at)
}

// add adds up the ways of equal cases.
func (l *migrationCases) add(b balance, ways float64) {
	i, found := 0, false
	if len(l.all) < manyCases {
		i = slices.IndexFunc(l.all, func(c migrationCase) bool { return c.balance == b })
		found = i >= 0
	} else {
		i, found = l.at[b]
	}
	if found {
		l.all[i].ways += ways
		return
	}
	l.all = append(l.all, migrationCase{b, ways})
	switch n := len(l.all); {
	case n > manyCases:
		l.at[b] = n - 1
	case n == manyCases:
		if l.at == nil {
			l.at = map[balance]int{}
		}
		for i, c := range l.all {
			l.at[c.balance] = i
		}
	}
}
