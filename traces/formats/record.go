package formats

import (
	"encoding/binary"
)

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
