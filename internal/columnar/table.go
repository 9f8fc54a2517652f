//go:build !js

package columnar

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// table is a file while it is read.
type table struct {
	fields  []field
	footer  *metadata.FileMetaData
	file    source    // without its footer
	at      []int     // for each field, which of the file's columns it is
	columns []decoder // for each field; nil where the file lacks it
	packed  []byte    // memory for a chunk, used again by the next
	pages   pages     // of the chunk that is being read
	budget  budget
}

// openTable reads the footer, and checks the checksum if it is asked to.
func openTable(fields []field, s source, sum bool) (t *table, meta map[string]string, err error) {
	defer recovered(&err)
	footer, meta := checkedFooter(s, sum)
	t = &table{
		fields: fields,
		footer: footer.FileMetaData,
		file:   s.part(footer.start),
		budget: budgetFloor + budgetPerByte*budget(s.size),
	}
	return t, meta, t.match()
}

// absent stands for a column that the file is too old to have.
const absent = -1

// match finds each field's column, compares the types and makes the decoders.
func (t *table) match() error {
	s := t.footer.Schema
	for _, f := range t.fields {
		i := s.ColumnIndexByName(f.Name)
		if i < 0 && f.added {
			t.at = append(t.at, absent)
			t.columns = append(t.columns, nil)
			continue
		}
		if i < 0 {
			return fmt.Errorf("has no column %q (%s)", f.Name, f.Type)
		}
		c := s.Column(i)
		if got := storedType(c); got != f.Type || c.MaxRepetitionLevel() > 0 {
			return fmt.Errorf("column %q is %s (%v), want %s", c.Name(), got, c.SchemaNode().RepetitionType(), f.Type)
		}
		t.at = append(t.at, i)
		t.columns = append(t.columns, newColumn(f, c.PhysicalType(), &t.budget))
	}
	return nil
}

// count is the number of rows, whose memory it charges to the budget, and that of
// the largest row group.
func (t *table) count(size uintptr) (total, largest int, err error) {
	defer recovered(&err)
	for i := range t.footer.RowGroups {
		rows := t.footer.RowGroup(i).NumRows()
		if rows < 0 || rows > int64(t.budget)/int64(size) {
			fail("row group %d of %d rows", i, rows)
		}
		t.budget.take(int(rows) * int(size))
		total += int(rows)
		largest = max(largest, int(rows))
	}
	return total, largest, nil
}

// group decodes a row group into the first of the rows, and returns how many it
// has.
func (t *table) group(i int, rows cells) (n int, err error) {
	defer recovered(&err)
	group := t.footer.RowGroup(i)
	n = int(group.NumRows())
	for k, f := range t.fields {
		if t.at[k] == absent {
			continue // the rows have zeros there
		}
		t.chunk(group, t.at[k], t.columns[k], rows.part(0, n, f.offset))
	}
	return n, nil
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
	start := c.DataPageOffset()
	if first := c.DictionaryPageOffset(); c.HasDictionaryPage() && first > 0 && first < start {
		start = first
	}
	t.packed = t.file.read(start, c.TotalCompressedSize(), t.packed)
	return t.packed
}
