package formats

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"io"
	"os"
	"slices"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/internal/series"
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
		in := bufio.NewReaderSize(io.NewSectionReader(s.file, start, end-start), max(mergeBytes/len(s.ends), minRunBytes))
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

// mergeRuns calls yield for the records of sorted runs, which are given from the
// oldest to the youngest, in the order of less.
func mergeRuns(runs []records, less func(x, y *priceRecord) bool, yield func(*priceRecord) error) error {
	m := &runHeap{less: less}
	for age, next := range runs {
		head, err := next()
		if err == io.EOF {
			continue
		}
		if err != nil {
			return err
		}
		m.runs = append(m.runs, mergedRun{head, next, age})
	}
	heap.Init(m)
	for len(m.runs) > 0 {
		if err := yield(m.runs[0].head); err != nil {
			return err
		}
		if err := m.advance(); err != nil {
			return err
		}
	}
	return nil
}

// advance passes over the record on top.
func (m *runHeap) advance() (err error) {
	top := &m.runs[0]
	top.head, err = top.next()
	if err == io.EOF {
		heap.Pop(m)
		return nil
	}
	if err == nil {
		heap.Fix(m, 0)
	}
	return err
}

// runHeap is a heap of runs, on top the one whose record comes first.
type runHeap struct {
	runs []mergedRun
	less func(x, y *priceRecord) bool
}

type mergedRun struct {
	head *priceRecord
	next records
	age  int // among the runs
}

func (m *runHeap) Len() int      { return len(m.runs) }
func (m *runHeap) Swap(i, j int) { m.runs[i], m.runs[j] = m.runs[j], m.runs[i] }
func (m *runHeap) Push(x any)    { m.runs = append(m.runs, x.(mergedRun)) }

func (m *runHeap) Pop() any {
	last := m.runs[len(m.runs)-1]
	m.runs = m.runs[:len(m.runs)-1]
	return last
}

// Less puts the older run first where the records are equal.
func (m *runHeap) Less(i, j int) bool {
	x, y := &m.runs[i], &m.runs[j]
	return m.less(x.head, y.head) || !m.less(y.head, x.head) && x.age < y.age
}

// priceRecord is a row of prices that waits for its place. It holds no pointer,
// so that many of them cost the garbage collector nothing.
type priceRecord struct {
	t, uncertain, nano, srcRow int64
	pool, srcFile              int32
	label                      int32 // place in labels
	carryIn                    bool
}

// records yields one record after the other, and io.EOF behind the last. What it
// yields is good until the next call.
type records func() (*priceRecord, error)

func (r *priceRecord) encode(to []byte) {
	for _, x := range [...]int64{r.t, r.uncertain, r.nano, r.srcRow} {
		to = binary.LittleEndian.AppendUint64(to, uint64(x))
	}
	for _, x := range [...]int32{r.pool, r.srcFile, r.label} {
		to = binary.LittleEndian.AppendUint32(to, uint32(x))
	}
	carried := byte(0)
	if r.carryIn {
		carried = 1
	}
	_ = append(to, carried)
}

func (r *priceRecord) decode(from []byte) {
	for i, x := range [...]*int64{&r.t, &r.uncertain, &r.nano, &r.srcRow} {
		*x = int64(binary.LittleEndian.Uint64(from[8*i:]))
	}
	for i, x := range [...]*int32{&r.pool, &r.srcFile, &r.label} {
		*x = int32(binary.LittleEndian.Uint32(from[32+4*i:]))
	}
	r.carryIn = from[recordBytes-1] == 1
}

const (
	recordBytes = 4*8 + 3*4 + 1 // of a priceRecord on disk
	// mergeBytes is shared by the runs as they are read, but none has less than
	// minRunBytes: a run is a million rows, so that there are seldom many.
	mergeBytes  = 16 << 20
	minRunBytes = 4 << 10
)

// spillRows is how many rows of prices wait in memory before they go to disk.
const spillRows = 1 << 20

// priceLabel is what few texts say of many rows.
type priceLabel struct{ origin, currency string }

// priceTable gathers rows of prices in any order. It is the one table that grows
// without bound, so that it can spill: sorted runs of its rows wait on disk.
type priceTable struct {
	rows        []priceRecord // since the last spill
	labels      []priceLabel
	first, last int64 // instants, of all rows
	any         bool  // whether there is a row

	polled  bool            // a change lies between two rows
	carried map[int32]int64 // by pool: its last instant before the stated start
	kept    int             // rows that were handed on

	limit int    // rows at which they are spilled; 0: never
	dir   string // where
	spill spill
}

func (t *priceTable) add(r *traces.PriceRow) {
	if !t.any {
		t.first, t.last, t.any = r.T, r.T, true
	}
	t.first, t.last = min(t.first, r.T), max(t.last, r.T)
	label := priceLabel{r.Origin, r.Currency}
	at := slices.Index(t.labels, label)
	if at < 0 {
		at = len(t.labels)
		t.labels = append(t.labels, label)
	}
	t.rows = append(t.rows, priceRecord{
		t: r.T, uncertain: r.UncertainUs, nano: r.PriceNanoUSD, srcRow: r.SrcRow,
		pool: r.PoolID, srcFile: r.SrcFile, label: int32(at), carryIn: r.CarryIn,
	})
}

// row returns a record as a row; seq and heartbeat are not known yet.
func (t *priceTable) row(r *priceRecord) traces.PriceRow {
	label := t.labels[r.label]
	return traces.PriceRow{
		T: r.t, UncertainUs: r.uncertain, PoolID: r.pool, SrcFile: r.srcFile, SrcRow: r.srcRow,
		Origin: label.origin, PriceNanoUSD: r.nano, Currency: label.currency, CarryIn: r.carryIn,
	}
}

// full reports whether it is time to spill.
func (t *priceTable) full() bool { return t.limit > 0 && len(t.rows) >= t.limit }

// empty spills the rows in memory; ranks are the pools' places by name.
func (t *priceTable) empty(ranks []int32) error {
	if err := t.spill.write(t.dir, t.inOrder(ranks), len(t.rows)); err != nil {
		return &traces.WriteError{Err: err}
	}
	t.rows = t.rows[:0]
	return nil
}

// inOrder returns the rows in memory by (t, rank of the pool), those of one pool
// and instant as they came.
func (t *priceTable) inOrder(ranks []int32) records {
	places := series.SortedPlaces(t.rows, func(r *priceRecord) (int64, int64) { return r.t, int64(ranks[r.pool]) })
	return func() (*priceRecord, error) {
		if len(places) == 0 {
			return nil, io.EOF
		}
		r := &t.rows[places[0].Index]
		places = places[1:]
		return r, nil
	}
}

// each calls yield for all rows in that order. Pools that came after a run was
// spilled do not change how its own stand to one another, so that runs merge.
func (t *priceTable) each(ranks []int32, yield func(*priceRecord) error) error {
	runs := append(t.spill.runs(), t.inOrder(ranks))
	return mergeRuns(runs, func(x, y *priceRecord) bool {
		return x.t < y.t || x.t == y.t && ranks[x.pool] < ranks[y.pool]
	}, yield)
}

func (t *priceTable) close() { t.spill.close() }
