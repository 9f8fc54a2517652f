//go:build !js

package columnar

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// magic begins and ends a file.
const magic = "PAR1"

// parquetFile writes a file as Arrow's file.Writer does, to the last byte, but leaves the
// writing of a column to its caller: Arrow makes a writer with memory of its own for
// each column of each row group, which most columns do not need (floats).
type parquetFile struct {
	sink   reported
	props  *parquet.WriterProperties
	meta   *metadata.FileMetaDataBuilder
	pager  file.PageWriter // of the column that is being written
	groups int16
}

// told is a sink that knows where it is.
type reported struct {
	io.Writer
	at int64
}

func (t *reported) Write(b []byte) (int, error) {
	n, err := t.Writer.Write(b)
	t.at += int64(n)
	return n, err
}

// Tell returns how many bytes were written.
func (t *reported) Tell() int64 { return t.at }

func newParquetFile(out io.Writer, root *schema.GroupNode, props *parquet.WriterProperties) (*parquetFile, error) {
	p := &parquetFile{sink: reported{Writer: out}, props: props}
	p.meta = metadata.NewFileMetadataBuilder(schema.NewSchema(root), props, nil)
	_, err := io.WriteString(&p.sink, magic)
	return p, err
}

// group writes a row group of n rows: write writes one of its columns after the other,
// and returns the bytes that it took.
func (p *parquetFile) group(rows, columns int, write func(column int, meta *metadata.ColumnChunkMetaDataBuilder) (int64, error)) error {
	group, size := p.meta.AppendRowGroup(), int64(0)
	for i := range columns {
		meta := group.NextColumnChunk()
		if err := p.page(meta, int16(i)); err != nil {
			return err
		}
		n, err := write(i, meta)
		if err != nil {
			return err
		}
		size += n
	}
	group.SetNumRows(rows)
	err := group.Finish(size, p.groups)
	p.groups++
	return err
}

// page makes the pager that of a column.
func (p *parquetFile) page(meta *metadata.ColumnChunkMetaDataBuilder, column int16) (err error) {
	path := meta.Descr().Path()
	codec, level := p.props.CompressionFor(path), p.props.CompressionLevelFor(path)
	if p.pager != nil {
		return p.pager.Reset(&p.sink, codec, level, meta, p.groups, column, nil, nil)
	}
	p.pager, err = file.NewPageWriter(&p.sink, codec, level, meta, p.groups, column, p.props.Allocator(), false, nil, nil)
	return err
}

// close writes the footer.
func (p *parquetFile) close() error {
	footer, err := p.meta.Finish()
	if err != nil {
		return err
	}
	n, err := footer.WriteTo(&p.sink, nil)
	if err != nil {
		return err
	}
	_, err = p.sink.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(n)), magic...))
	return err
}

// longestText is a text whose dictionary and statistics Arrow surely keeps.
const longestText = 1024

// only returns the text that all rows of a column have, and false if they differ, are few
// or too long.
func (b *batch) only(from cells) (parquet.ByteArray, bool) {
	first := *cell[string](from, 0)
	if from.n < minRun || len(first) > longestText {
		return nil, false
	}
	for i := 1; i < from.n; i++ {
		if *cell[string](from, i) != first {
			return nil, false
		}
	}
	b.text, b.last = b.text[:0], nil
	return b.bytes(first), true
}

// writeOnly writes a column of n rows that all have one text: a dictionary of it, and a
// page of one run. It returns the bytes that it took.
func (p *parquetFile) writeOnly(meta *metadata.ColumnChunkMetaDataBuilder, text parquet.ByteArray, rows int) (int64, error) {
	if err := checkText([]parquet.ByteArray{text}); err != nil {
		return 0, err
	}
	stats, err := textStatistics(meta.Descr(), text)
	if err != nil {
		return 0, err
	}
	entry := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
	dict, err := p.pager.WriteDictionaryPage(file.NewDictionaryPage(memory.NewBufferBytes(entry), 1, p.props.DictionaryPageEncoding()))
	if err != nil {
		return dict, err
	}
	run := append(binary.AppendUvarint([]byte{1}, uint64(rows)<<1), 0) // numbers of one bit, all 0
	packed, err := pack(nil, run)
	if err != nil {
		return dict, err
	}
	n, err := p.pager.WriteDataPage(file.NewDataPageV1WithStats(memory.NewBufferBytes(packed), int32(rows), p.props.DictionaryIndexEncoding(),
		parquet.Encodings.RLE, parquet.Encodings.RLE, int32(len(run)), stats))
	if err != nil {
		return dict + n, err
	}
	if stats.IsSet() {
		meta.SetStats(stats)
	}
	return dict + n, p.pager.Close(true, false)
}

// textStatistics are those of a page of one text, and of its column.
func textStatistics(column *schema.Column, text parquet.ByteArray) (metadata.EncodedStatistics, error) {
	s := metadata.NewByteArrayStatistics(column, memory.DefaultAllocator)
	s.Update([]parquet.ByteArray{text}, 0)
	return s.Encode()
}

// batch holds the values of one column of a row group while it is written.
type batch struct {
	bools   []bool
	int32s  []int32
	int64s  []int64
	floats  []float64
	strings []parquet.ByteArray
	text    []byte // what strings point into
	last    parquet.ByteArray
	levels  []int16
}

// bytes copies a string into b.text: no allocation a value, and no unsafe. One that
// is the same as the last, as most are where they describe a study, is not copied
// again.
func (b *batch) bytes(s string) parquet.ByteArray {
	if b.last != nil && string(b.last) == s {
		return b.last
	}
	at := len(b.text)
	b.text = append(b.text, s...)
	b.last = b.text[at:len(b.text):len(b.text)]
	return b.last
}

func checkText(values []parquet.ByteArray) error {
	for _, v := range values {
		if !utf8.Valid(v) {
			return fmt.Errorf("value %q is not UTF-8", v)
		}
	}
	return nil
}

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
func (f *floats) write(pager file.PageWriter, meta *metadata.ColumnChunkMetaDataBuilder, values []float64, levels []int16) (int64, error) {
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
	data := memory.NewBufferBytes(f.packed)
	n, err := pager.WriteDataPage(file.NewDataPageV1WithStats(data, int32(rows), parquet.Encodings.Plain, parquet.Encodings.RLE, parquet.Encodings.RLE,
		int32(len(f.page)), ofPage))
	if err != nil {
		return n, err
	}
	if all.IsSet() {
		meta.SetStats(all)
	}
	return n, pager.Close(false, false)
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
func (f *floats) statistics(column *schema.Column, values []float64, rows int) (ofPage, all metadata.EncodedStatistics, err error) {
	if f.ofPage == nil {
		f.ofPage = metadata.NewFloat64Statistics(column, memory.DefaultAllocator)
		f.all = metadata.NewFloat64Statistics(column, memory.DefaultAllocator)
	}
	for _, x := range []*metadata.Float64Statistics{f.ofPage, f.all} {
		x.Reset()
		x.IncNulls(0) // both counts are there, as in new ones
		x.IncDistinct(0)
	}
	f.ofPage.Update(values, int64(rows-len(values)))
	if ofPage, err = f.ofPage.Encode(); err != nil {
		return ofPage, all, err
	}
	f.all.Merge(f.ofPage)
	all, err = f.all.Encode()
	ofPage.Signed, all.Signed = true, true
	return ofPage, all, err
}
