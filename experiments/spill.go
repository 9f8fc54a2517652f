//go:build !js

package experiments

import (
	"math"
	"os"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"github.com/marigram/marigram/experiments/results"
)

// spill holds what happened in runs in a temporary file, until all runs before them are over: as CBOR (RFC 8949), which
// has infinite numbers, and null unlike zero. It may be used by several goroutines.
type spill struct {
	guard sync.Mutex
	file  *os.File // nil: nothing yet
	end   int64
	of    map[int64]stored // by run
}

// stored is where a run lies in the file.
type stored struct{ at, size int64 }

// put keeps what happened in a run.
func (s *spill) put(run int64, set *results.Set) error {
	text, err := cbor.Marshal(set)
	if err != nil {
		return err
	}
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "marigram-timelines-*"); err != nil {
			return err
		}
		s.of = map[int64]stored{}
	}
	if _, err := s.file.WriteAt(text, s.end); err != nil {
		return err
	}
	s.of[run] = stored{s.end, int64(len(text))}
	s.end += int64(len(text))
	return nil
}

// get returns what put has of a run; nil: nothing.
func (s *spill) get(run int64) (*results.Set, error) {
	x, has := s.of[run]
	if !has {
		return nil, nil
	}
	text := make([]byte, x.size)
	if _, err := s.file.ReadAt(text, x.at); err != nil {
		return nil, err
	}
	set := new(results.Set)
	return set, unlimited.Unmarshal(text, set)
}

// unlimited reads what put wrote, however many rows.
var unlimited = func() cbor.DecMode {
	mode, err := cbor.DecOptions{MaxArrayElements: math.MaxInt32}.DecMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

// close removes the file.
func (s *spill) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
