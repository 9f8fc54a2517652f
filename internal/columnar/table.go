package columnar

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// table is a file while it is read.
type table struct {
	fields []field
	footer *metadata.FileMetaData
	file   source // without its footer
	packed []byte // memory for a chunk, used again by the next
	at     []int  // for each field, which of the file's columns it is
	pages  pages  // of the chunk that is being read
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

// read decodes the table into rows, of which there are as many as count says,
// one row group after the other, so that its rows stay in the cache.
func (t *table) read(rows cells) {
	columns := make([]decoder, len(t.fields))
	for k, f := range t.fields {
		columns[k] = newColumn(f, &t.budget)
	}
	at := 0
	for i := range t.footer.RowGroups {
		group := t.footer.RowGroup(i)
		n := int(group.NumRows())
		for k, f := range t.fields {
			t.chunk(group, t.at[k], columns[k], rows.part(at, n, f.offset))
		}
		at += n
	}
}

// chunk reads one column of a row group.
func (t *table) chunk(group *metadata.RowGroupMetaData, at int, c decoder, to cells) {
	column := t.footer.Schema.Column(at)
	defer nameColumn(column.Name())
	meta, err := group.ColumnChunk(at)
	if err != nil {
		fail("%v", err)
	}
	t.pages = pages{b: t.bytesOf(meta), codec: meta.Compression(), budget: &t.budget, opened: t.pages.opened}
	c.decode(&t.pages, column.MaxDefinitionLevel() > 0, to)
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
	t.packed = t.file.read(start, size, t.packed)
	return t.packed
}
