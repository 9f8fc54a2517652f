package workload

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// jobStore is jobs as short records, in order of submission once it is complete: in memory while they
// are few, then in a file without a name. It is read by any number of cursors at once.
type jobStore struct {
	text  []byte   // records that are not in the file
	file  *os.File // nil: there are few
	bytes int64    // in the file
	n     int

	words  []string   // kinds, users and so on, each once
	models [][]string // of a word that is a list of models of GPU
	known  map[string]uint32

	first int64 // us, the least instant
	last  int64 // us, of the record added last
	mixed bool  // the order is not that of time
}

const (
	memoryBytes = 8 << 20 // of records, before they go into a file
	recordBytes = 94      // of a record, without the name of its job
	longestName = math.MaxUint16
)

var errLongName = errors.New("has a name that is too long")

// add adds a job that is submitted at an instant, in us.
func (s *jobStore) add(j *Job, at int64) error {
	if len(j.ID) > longestName {
		return errLongName
	}
	if s.n == 0 || at < s.first {
		s.first = at
	}
	s.mixed = s.mixed || s.n > 0 && at < s.last
	s.last = at
	le := binary.LittleEndian
	record := s.text
	for _, number := range [...]uint64{
		uint64(at), math.Float64bits(j.Weight), math.Float64bits(j.steps), uint64(j.duration), uint64(j.Deadline),
		uint64(j.line), uint64(j.requested),
	} {
		record = le.AppendUint64(record, number)
	}
	for _, number := range [...]uint32{
		uint32(j.GPUs), uint32(j.file), s.word(j.Kind), s.word(j.User), s.word(j.VC), s.list(j.models),
		s.word(j.durationOn), uint32(j.Least), uint32(j.Most),
	} {
		record = le.AppendUint32(record, number)
	}
	record = le.AppendUint16(record, uint16(len(j.ID)))
	s.text = append(record, j.ID...)
	s.n++
	return s.settle()
}

// settle moves the records into the file, if they are many.
func (s *jobStore) settle() error {
	if len(s.text) < memoryBytes {
		return nil
	}
	return s.spill()
}

// word returns the number of a word.
func (s *jobStore) word(w string) uint32 {
	k, is := s.known[w]
	if !is {
		if s.known == nil {
			s.known = map[string]uint32{}
		}
		w = strings.Clone(w) // not the line of which it is a part
		k = uint32(len(s.words))
		s.known[w] = k
		s.words = append(s.words, w)
		s.models = append(s.models, nil)
	}
	return k
}

// list returns the number of a list of models.
func (s *jobStore) list(models []string) uint32 {
	if models == nil {
		return s.word("")
	}
	k := s.word(strings.Join(models, "|") + "|") // no single word ends so
	s.models[k] = models
	return k
}

// spill moves the records into the file.
func (s *jobStore) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp("", "marigram-jobs-*")
		if err != nil {
			return err
		}
		if err := os.Remove(f.Name()); err != nil {
			return errors.Join(err, f.Close())
		}
		s.file = f // which is closed when nobody has it any more
	}
	_, err := s.file.Write(s.text)
	s.bytes += int64(len(s.text))
	s.text = s.text[:0]
	return err
}

// seal ends the adding: the records come to stand in order of time, those of one instant in the order in which they
// came.
func (s *jobStore) seal() error {
	s.known = nil
	if s.mixed {
		return s.sort()
	}
	if s.file == nil || len(s.text) == 0 {
		return nil
	}
	err := s.spill()
	s.text = nil
	return err
}

// cursor reads the records from one on.
type cursor struct {
	of *jobStore
	in *bufio.Reader
	at int64 // bytes before the next record
}

const cursorBytes = 256 << 10

// from returns a cursor at a place, in bytes.
func (s *jobStore) from(at int64) cursor {
	size := s.bytes
	var in io.ReaderAt = s.file
	if s.file == nil {
		in = bytes.NewReader(s.text)
		size = int64(len(s.text))
	}
	return cursor{s, bufio.NewReaderSize(io.NewSectionReader(in, at, size-at), cursorBytes), at}
}

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
	slices.SortFunc(places, func(a, b recordPlace) int {
		return cmp.Or(cmp.Compare(a.instant, b.instant), cmp.Compare(a.at, b.at))
	})
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
	s.text = sorted.text
	s.file = sorted.file
	s.bytes = sorted.bytes
	s.mixed = false
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

// next reads a job, whose Submit is counted from the first of all; false after the last.
func (c *cursor) next(j *Job) (bool, error) {
	record, err := c.in.Peek(recordBytes)
	if err == io.EOF && len(record) == 0 {
		return false, nil
	} else if err != nil {
		return false, err
	}
	le := binary.LittleEndian
	wide := func(k int) uint64 { return le.Uint64(record[8*k:]) }
	short := func(k int) uint32 { return le.Uint32(record[56+4*k:]) }
	*j = Job{
		Submit:    time.Duration(int64(wide(0))-c.of.first) * time.Microsecond,
		Weight:    math.Float64frombits(wide(1)),
		steps:     math.Float64frombits(wide(2)),
		duration:  time.Duration(wide(3)),
		Deadline:  time.Duration(wide(4)),
		line:      int64(wide(5)),
		requested: time.Duration(wide(6)),

		GPUs:       int(short(0)),
		file:       int32(short(1)),
		Kind:       c.of.words[short(2)],
		User:       c.of.words[short(3)],
		VC:         c.of.words[short(4)],
		models:     c.of.models[short(5)],
		durationOn: c.of.words[short(6)],
		Least:      int(short(7)),
		Most:       int(short(8)),
	}
	length := int(le.Uint16(record[recordBytes-2:]))
	if _, err := c.in.Discard(recordBytes); err != nil {
		return false, err
	}
	name, err := c.in.Peek(length)
	if err != nil {
		return false, err
	}
	j.ID = string(name)
	c.at += int64(recordBytes + length)
	_, err = c.in.Discard(length)
	return true, err
}

// Job is what a spec's source says of a job.
type Job struct {
	ID       string // unique
	Kind     string // what it runs; may be empty
	User, VC string // may be empty
	GPUs     int
	// Least and Most are the fewest and the most GPUs on which it trains, where their number may change; 0: it may not.
	Least, Most int

	Submit   time.Duration // after the first
	Weight   float64       // above 0
	Deadline time.Duration // after its submission; 0: none

	steps      float64       // 0: not known
	duration   time.Duration // 0: not known
	requested  time.Duration // that its user asked for; 0: not known
	durationOn string        // model of GPU, in lower case; empty: not known
	models     []string      // of GPU, in lower case, on which it may run; nil: on all
	file       int32         // of Workload.Inputs
	line       int64         // in its file; 0: it has none
}
