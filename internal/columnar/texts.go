//go:build !js

package columnar

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

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
	b.text = b.text[:0]
	b.last = nil
	return b.bytes(first), true
}

// writeOnly writes a column of n rows that all have one text: a dictionary of it, and a
// page of one run. It returns the bytes that it took.
func (p *parquetFile) writeOnly(
	meta *metadata.ColumnChunkMetaDataBuilder, text parquet.ByteArray, rows int,
) (int64, error) {
	if err := checkText([]parquet.ByteArray{text}); err != nil {
		return 0, err
	}
	stats, err := textStatistics(meta.Descr(), text)
	if err != nil {
		return 0, err
	}
	entry := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
	dictionary := file.NewDictionaryPage(memory.NewBufferBytes(entry), 1, p.props.DictionaryPageEncoding())
	dict, err := p.pager.WriteDictionaryPage(dictionary)
	if err != nil {
		return dict, err
	}
	run := append(binary.AppendUvarint([]byte{1}, uint64(rows)<<1), 0) // numbers of one bit, all 0
	packed, err := pack(nil, run)
	if err != nil {
		return dict, err
	}
	page := file.NewDataPageV1WithStats(memory.NewBufferBytes(packed), int32(rows),
		p.props.DictionaryIndexEncoding(), parquet.Encodings.RLE, parquet.Encodings.RLE, int32(len(run)), stats)
	written, err := p.pager.WriteDataPage(page)
	if err != nil {
		return dict + written, err
	}
	if stats.IsSet() {
		meta.SetStats(stats)
	}
	return dict + written, p.pager.Close(true, false)
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
