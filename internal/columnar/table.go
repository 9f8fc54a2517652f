package columnar

import (
	"fmt"
	"reflect"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// table is a file while it is read.
type table struct {
	fields []field
	footer *metadata.FileMetaData
	pages  []byte // the file without its footer
	at     []int  // for each field, which of the file's columns it is
	budget budget
}

// match finds each field's column and compares the types.
func (t *table) match() error {
	s := t.footer.Schema
	for _, f := range t.fields {
		i := s.ColumnIndexByName(f.Name)
		if i < 0 {
			return fmt.Errorf("has no column %q (%s)", f.Name, f.Type)
		}
		c := s.Column(i)
		if got := storedType(c); got != f.Type || c.MaxRepetitionLevel() > 0 {
			return fmt.Errorf("column %q is %s (%v), want %s", f.Name, got, c.SchemaNode().RepetitionType(), f.Type)
		}
		t.at = append(t.at, i)
	}
	return nil
}

// count is the number of rows, whose memory it charges to the budget.
func (t *table) count(size uintptr) int {
	total := int64(0)
	for i := range t.footer.RowGroups {
		n := t.footer.RowGroup(i).NumRows()
		if n < 0 || n > int64(t.budget)/int64(size) {
			fail("row group %d of %d rows", i, n)
		}
		t.budget.take(int(n) * int(size))
		total += n
	}
	return int(total)
}

func (t *table) read(rows reflect.Value) {
	at := 0
	for i := range t.footer.RowGroups {
		group := t.footer.RowGroup(i)
		n := int(group.NumRows())
		for k, f := range t.fields {
			t.chunk(group, t.at[k], target{rows: rows.Slice(at, at+n), field: f})
		}
		at += n
	}
}

// chunk reads one column of a row group into the rows.
func (t *table) chunk(group *metadata.RowGroupMetaData, at int, to target) {
	defer nameColumn(to.field.Name)
	meta, err := group.ColumnChunk(at)
	if err != nil {
		fail("%v", err)
	}
	p := pages{b: t.bytesOf(meta), codec: meta.Compression(), budget: &t.budget}
	optional := t.footer.Schema.Column(at).MaxDefinitionLevel() > 0
	switch to.field.Type {
	case "bool":
		(&column[bool]{to, p, optional, plainBools, reflect.Value.SetBool}).decode()
	case "int32":
		(&column[int32]{to, p, optional, plainInt32s, func(v reflect.Value, x int32) { v.SetInt(int64(x)) }}).decode()
	case "float64":
		(&column[float64]{to, p, optional, plainFloats, reflect.Value.SetFloat}).decode()
	case "string":
		(&column[string]{to, p, optional, t.budget.plainStrings, reflect.Value.SetString}).decode()
	default:
		(&column[int64]{to, p, optional, plainInt64s, reflect.Value.SetInt}).decode()
	}
}

// bytesOf are the pages of a column chunk, dictionary first.
func (t *table) bytesOf(c *metadata.ColumnChunkMetaData) []byte {
	if codec := c.Compression(); codec != compress.Codecs.Uncompressed && codec != compress.Codecs.Snappy {
		fail("compressed with %v: only snappy is read", codec)
	}
	start, size := c.DataPageOffset(), c.TotalCompressedSize()
	if d := c.DictionaryPageOffset(); c.HasDictionaryPage() && d > 0 && d < start {
		start = d
	}
	if start < 4 || start > int64(len(t.pages)) || size < 0 || size > int64(len(t.pages))-start {
		fail("column of %d bytes at %d in a file of %d", size, start, len(t.pages))
	}
	return t.pages[start : start+size]
}
