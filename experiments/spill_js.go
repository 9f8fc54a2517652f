package experiments

import (
	"errors"

	"github.com/marigram/marigram/experiments/results"
)

// spill keeps nothing in a browser, which has no files: what happened at the first point of a study is all that can be
// asked for, and is not spilled.
type spill struct{}

// put says that there is no file to put rows in.
func (*spill) put(int64, *results.Set) error {
	return errors.New("a browser has no files to keep rows in until they are written")
}

// get returns nothing: put keeps nothing.
func (*spill) get(int64) (*results.Set, error) { return nil, nil }

func (*spill) close() {}
