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
	if at := l.find(b); at >= 0 {
		l.all[at].ways += ways
		return
	}
	l.all = append(l.all, migrationCase{b, ways})
	count := len(l.all)
	if count > manyCases {
		l.at[b] = count - 1
	}
	if count == manyCases {
		if l.at == nil {
			l.at = map[balance]int{}
		}
		for i, one := range l.all {
			l.at[one.balance] = i
		}
	}
}

// find returns the place of the case of a balance, -1 if there is none.
func (l *migrationCases) find(b balance) int {
	if len(l.all) < manyCases {
		return slices.IndexFunc(l.all, func(c migrationCase) bool { return c.balance == b })
	}
	if at, found := l.at[b]; found {
		return at
	}
	return -1
}
