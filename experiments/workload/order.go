package workload

import (
	"cmp"
	"slices"
	"time"
)

// recordPlace is where a record is.
type recordPlace struct {
	instant int64 // us
	at      int64 // bytes before it
	size    int32
}

// sort puts the records in order of time. It holds 24 bytes a job.
func (s *jobStore) sort() error {
	if s.file != nil {
		if err := s.spill(); err != nil {
			return err
		}
	}
	places, err := s.places()
	if err != nil {
		return err
	}
	slices.SortFunc(places, func(a, b recordPlace) int { return cmp.Or(cmp.Compare(a.instant, b.instant), cmp.Compare(a.at, b.at)) })
	var sorted jobStore
	for _, p := range places {
		if s.file == nil {
			sorted.text = append(sorted.text, s.text[p.at:p.at+int64(p.size)]...)
		} else {
			end := len(sorted.text)
			sorted.text = slices.Grow(sorted.text, int(p.size))[:end+int(p.size)]
			if _, err := s.file.ReadAt(sorted.text[end:], p.at); err != nil {
				return err
			}
		}
		if err := sorted.settle(); err != nil {
			return err
		}
	}
	s.text, s.file, s.bytes, s.mixed = sorted.text, sorted.file, sorted.bytes, false
	return s.seal()
}

// places returns where the records are.
func (s *jobStore) places() ([]recordPlace, error) {
	places := make([]recordPlace, 0, s.n)
	var j Job
	for c := s.from(0); ; {
		at := c.at
		more, err := c.next(&j)
		if err != nil || !more {
			return places, err
		}
		places = append(places, recordPlace{s.first + int64(j.Submit/time.Microsecond), at, int32(c.at - at)})
	}
}
