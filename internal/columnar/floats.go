//go:build !js

package columnar

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// minRun is the smallest number of equal levels that Arrow writes as a run.
const minRun = 8

// floats writes columns of floating-point numbers that are all there or all null as
// one page each, in memory that is used again.
type floats struct {
	page, packed []byte
	ofPage, all  *metadata.Float64Statistics
}

// fits reports whether a column is one of these: levels are its definition levels, 1 or 0,
// if it is optional.
func (f *floats) fits(column *schema.Column, values []float64, levels []int16) bool {
	return column.MaxDefinitionLevel() == 0 || len(levels) >= minRun && (len(values) == 0 || len(values) == len(levels))
}

// write writes such a column and returns the bytes that it took.
func (f *floats) write(
	pager file.PageWriter, meta *metadata.ColumnChunkMetaDataBuilder, values []float64, levels []int16,
) (int64, error) {
	f.page = f.page[:0]
	rows := len(values)
	if meta.Descr().MaxDefinitionLevel() > 0 {
		rows = len(levels)
		run := append(binary.AppendUvarint(nil, uint64(rows)<<1), byte(levels[0]))
		f.page = append(binary.LittleEndian.AppendUint32(f.page, uint32(len(run))), run...)
	}
	for _, v := range values {
		f.page = binary.LittleEndian.AppendUint64(f.page, math.Float64bits(v))
	}
	ofPage, all, err := f.statistics(meta.Descr(), values, rows)
	if err != nil {
		return 0, err
	}
	if f.packed, err = pack(f.packed, f.page); err != nil {
		return 0, err
	}
	page := file.NewDataPageV1WithStats(memory.NewBufferBytes(f.packed), int32(rows),
		parquet.Encodings.Plain, parquet.Encodings.RLE, parquet.Encodings.RLE, int32(len(f.page)), ofPage)
	written, err := pager.WriteDataPage(page)
	if err != nil {
		return written, err
	}
	if all.IsSet() {
		meta.SetStats(all)
	}
	return written, pager.Close(false, false)
}

// pack compresses a page into the memory of buf.
func pack(buf, page []byte) ([]byte, error) {
	codec, err := compress.GetCodec(compress.Codecs.Snappy)
	if err != nil {
		return nil, err
	}
	return codec.Encode(resize(buf, int(codec.CompressBound(int64(len(page))))), page), nil
}

// statistics are those of the page, and of the column, of which it is all.
func (f *floats) statistics(
	column *schema.Column, values []float64, rows int,
) (ofPage, all metadata.EncodedStatistics, err error) {
	if f.ofPage == nil {
		f.ofPage = metadata.NewFloat64Statistics(column, memory.DefaultAllocator)
		f.all = metadata.NewFloat64Statistics(column, memory.DefaultAllocator)
	}
	for _, statistics := range []*metadata.Float64Statistics{f.ofPage, f.all} {
		statistics.Reset()
		statistics.IncNulls(0) // both counts are there, as in new ones
		statistics.IncDistinct(0)
	}
	f.ofPage.Update(values, int64(rows-len(values)))
	if ofPage, err = f.ofPage.Encode(); err != nil {
		return ofPage, all, err
	}
	f.all.Merge(f.ofPage)
	all, err = f.all.Encode()
	ofPage.Signed = true
	all.Signed = true
	return ofPage, all, err
}
