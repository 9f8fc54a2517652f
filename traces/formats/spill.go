package formats

import (
	"bufio"
	"io"
	"os"

	"github.com/marigram/marigram/traces"
)

// spill keeps sorted runs of records on disk, one behind the other in a
// temporary file.
type spill struct {
	file *os.File // nil: nothing was spilled
	ends []int64  // of the runs in the file
}

// write adds a run of n records, in a file that it makes in dir.
func (s *spill) write(dir string, run records, n int) (err error) {
	if s.file == nil {
		if s.file, err = os.CreateTemp(dir, ".prices-*"); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(s.file, 256<<10)
	var text [recordBytes]byte
	for range n {
		r, err := run()
		if err != nil {
			return err
		}
		r.encode(text[:0])
		if _, err := out.Write(text[:]); err != nil {
			return err
		}
	}
	s.ends = append(s.ends, s.end()+int64(n)*recordBytes)
	return out.Flush()
}

// end returns where the last run ends.
func (s *spill) end() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// runs returns the runs, the oldest first.
func (s *spill) runs() []records {
	var list []records
	start := int64(0)
	for _, end := range s.ends {
		size := max(mergeBytes/len(s.ends), minRunBytes)
		in := bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start), size)
		var text [recordBytes]byte
		var r priceRecord
		list = append(list, func() (*priceRecord, error) {
			if _, err := io.ReadFull(in, text[:]); err == io.EOF {
				return nil, err
			} else if err != nil {
				return nil, &traces.WriteError{Err: err}
			}
			r.decode(text[:])
			return &r, nil
		})
		start = end
	}
	return list
}

// close removes the file.
func (s *spill) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
