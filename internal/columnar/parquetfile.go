//go:build !js

package columnar

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow/go/v15/parquet"
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

// reported is a sink that knows where it is.
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
func (p *parquetFile) group(
	rows, columns int, write func(column int, meta *metadata.ColumnChunkMetaDataBuilder) (int64, error),
) error {
	group := p.meta.AppendRowGroup()
	size := int64(0)
	for i := range columns {
		meta := group.NextColumnChunk()
		if err := p.page(meta, int16(i)); err != nil {
			return err
		}
		written, err := write(i, meta)
		if err != nil {
			return err
		}
		size += written
	}
	group.SetNumRows(rows)
	err := group.Finish(size, p.groups)
	p.groups++
	return err
}

// page makes the pager that of a column.
func (p *parquetFile) page(meta *metadata.ColumnChunkMetaDataBuilder, column int16) (err error) {
	path := meta.Descr().Path()
	codec := p.props.CompressionFor(path)
	level := p.props.CompressionLevelFor(path)
	if p.pager != nil {
		return p.pager.Reset(&p.sink, codec, level, meta, p.groups, column, nil, nil)
	}
	const buffered = false
	p.pager, err = file.NewPageWriter(&p.sink, codec, level, meta, p.groups, column, p.props.Allocator(), buffered,
		nil, nil)
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
