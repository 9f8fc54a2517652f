//go:build !js

package columnar

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"

	"github.com/marigram/marigram/internal/store"
)

const (
	// createdBy is what the files say of their writer; no time, no version of
	// the project, so that bytes change only when the format does.
	createdBy = "marigram columnar (parquet-go version 15.0.2)"
)

// A Writer writes one table. It leaves nothing behind unless Close succeeds.
// It is not safe for concurrent use.
type Writer[T any] struct {
	fields []field
	meta   map[string]string
	path   string // to be
	temp   store.Pending
	sum    *summed
	pq     *parquetFile
	mem    *Memory
	err    error // the first failure, returned by everything after it
	done   bool  // whether the footer is written
}

// Memory is what a writer writes with. Files that are written one after the other can share it. The zero value is
// ready.
type Memory struct {
	out    *bufio.Writer
	batch  batch
	floats floats
}

// Write writes rows to path with the key-value metadata meta, replacing a file
// of that name only when all is written. It fails when the folder cannot be
// written or a string is not UTF-8, and then leaves nothing behind. The key
// "columnar.crc32c" is reserved; to use it panics.
func Write[T any](path string, meta map[string]string, rows []T) error {
	return WriteUntil(context.Background(), path, meta, rows)
}

// WriteUntil is Write that gives up when ctx is done.
func WriteUntil[T any](ctx context.Context, path string, meta map[string]string, rows []T) error {
	return WriteIn(ctx, new(Memory), path, meta, rows)
}

// WriteIn is WriteUntil in memory that is used again, by one goroutine at a time.
func WriteIn[T any](ctx context.Context, m *Memory, path string, meta map[string]string, rows []T) error {
	w, err := create[T](ctx, m, path, meta)
	if err != nil {
		return err
	}
	if err := w.Append(rows); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

// Create begins a table that will appear at path when Close succeeds. End it
// with Close or Abort. The folder must exist; a path may also be of an object store (internal/store).
func Create[T any](path string, meta map[string]string) (w *Writer[T], err error) {
	return create[T](context.Background(), new(Memory), path, meta)
}

func create[T any](ctx context.Context, m *Memory, path string, meta map[string]string) (w *Writer[T], err error) {
	checkMeta(meta)
	fields := fieldsOf[T]()
	temp, err := store.Create(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	w = &Writer[T]{fields: fields, meta: maps.Clone(meta), path: path, temp: temp, mem: m}
	if m.out == nil {
		m.out = bufio.NewWriterSize(temp, 256<<10)
	}
	m.out.Reset(temp)
	err = w.try(func() (err error) {
		w.sum = &summed{out: w.mem.out}
		w.pq, err = newParquetFile(w.sum, schemaOf(fields), properties(fields))
		return err
	})
	return w, err
}

func properties(fields []field) *parquet.WriterProperties {
	options := []parquet.WriterProperty{
		parquet.WithCreatedBy(createdBy),
		parquet.WithCompression(compress.Codecs.Snappy),
		parquet.WithDictionaryDefault(false),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithVersion(parquet.V2_6),
		parquet.WithMaxRowGroupLength(GroupRows),
	}
	for _, f := range fields {
		physical, _ := parquetType(f.Type)
		if f.dict {
			options = append(options, parquet.WithDictionaryFor(f.Name, true))
		} else if physical == parquet.Types.Int64 && !f.Optional { // Arrow v15 panics over a group of nulls
			options = append(options, parquet.WithEncodingFor(f.Name, parquet.Encodings.DeltaBinaryPacked))
		}
	}
	return parquet.NewWriterProperties(options...)
}

// SetMeta replaces the metadata, which may be known only behind the last row. The
// reserved key panics, as in Create.
func (w *Writer[T]) SetMeta(meta map[string]string) {
	if w.done {
		panic("columnar: SetMeta after Finish, Close or Abort")
	}
	checkMeta(meta)
	w.meta = maps.Clone(meta)
}

// checkMeta panics where the reserved key is used.
func checkMeta(meta map[string]string) {
	if _, reserved := meta[sumKey]; reserved {
		panic("columnar: metadata key " + sumKey + " is reserved")
	}
}

// Append writes rows as one row group, or as several where they are more than
// GroupRows. Many short calls make many small groups: gather rows first.
func (w *Writer[T]) Append(rows []T) error {
	if w.done {
		panic("columnar: Append after Finish, Close or Abort")
	}
	for part := range slices.Chunk(rows, GroupRows) {
		if err := w.try(func() error { return w.group(cellsOf(part)) }); err != nil {
			return err
		}
	}
	return w.err
}

func (w *Writer[T]) group(rows cells) error {
	return w.pq.group(rows.n, len(w.fields), func(i int, meta *metadata.ColumnChunkMetaDataBuilder) (int64, error) {
		f := w.fields[i]
		n, err := w.column(meta, f, rows.part(0, rows.n, f.offset))
		if err != nil {
			return n, fmt.Errorf("column %s: %w", f.Name, err)
		}
		return n, nil
	})
}

// column writes a column of a row group and returns the bytes that it took.
func (w *Writer[T]) column(meta *metadata.ColumnChunkMetaDataBuilder, f field, from cells) (int64, error) {
	w.mem.batch.levels = w.mem.batch.levels[:0]
	if f.Type == "float64" && !f.dict {
		values := numbers(&w.mem.batch, w.mem.batch.floats, f, from)
		w.mem.batch.floats = values
		levels := w.mem.batch.levels
		if w.mem.floats.fits(meta.Descr(), values, levels) {
			return w.mem.floats.write(w.pq.pager, meta, values, levels)
		}
	}
	if f.Type == "string" && !f.Optional {
		if text, one := w.mem.batch.only(from); one {
			return w.pq.writeOnly(meta, text, from.n)
		}
	}
	column := file.NewColumnChunkWriter(meta, w.pq.pager, w.pq.props)
	if err := w.mem.batch.write(column, f, from); err != nil {
		return 0, err
	}
	err := column.Close()
	return column.TotalBytesWritten(), err
}

// write gives Arrow the values of a column.
func (b *batch) write(column file.ColumnChunkWriter, f field, from cells) (err error) {
	b.levels = b.levels[:0]
	switch c := column.(type) {
	case *file.BooleanColumnChunkWriter:
		b.bools = numbers(b, b.bools, f, from)
		_, err = c.WriteBatch(b.bools, b.levelsOf(f), nil)
	case *file.Int32ColumnChunkWriter:
		b.int32s = numbers(b, b.int32s, f, from)
		_, err = c.WriteBatch(b.int32s, b.levelsOf(f), nil)
	case *file.Int64ColumnChunkWriter:
		b.int64s = numbers(b, b.int64s, f, from)
		_, err = c.WriteBatch(b.int64s, b.levelsOf(f), nil)
	case *file.Float64ColumnChunkWriter:
		b.floats = numbers(b, b.floats, f, from)
		_, err = c.WriteBatch(b.floats, b.levelsOf(f), nil)
	case *file.ByteArrayColumnChunkWriter:
		b.text = b.text[:0]
		b.last = nil
		b.strings = gather(b, b.strings, f, from, b.bytes)
		if err = checkText(b.strings); err == nil {
			_, err = c.WriteBatch(b.strings, b.levelsOf(f), nil)
		}
	}
	return err
}

// numbers is gather of values that are written as they are.
func numbers[V any](b *batch, buf []V, f field, from cells) []V {
	if f.Optional {
		return gather(b, buf, f, from, same)
	}
	buf = resize(buf, from.n)
	for i := range buf {
		buf[i] = *cell[V](from, i)
	}
	return buf
}

// same is a value as it is written.
func same[V any](v V) V { return v }

// gather collects the values of a column that are there into the memory of
// buf, as they are written, and for an optional column sets b.levels: 1 there, 0
// null.
func gather[V, W any](b *batch, buf []W, f field, from cells, as func(V) W) []W {
	buf = buf[:0]
	for i := range from.n {
		if !f.Optional {
			buf = append(buf, as(*cell[V](from, i)))
			continue
		}
		v := *cell[*V](from, i)
		if v == nil {
			b.levels = append(b.levels, 0)
			continue
		}
		b.levels = append(b.levels, 1)
		buf = append(buf, as(*v))
	}
	return buf
}

func (b *batch) levelsOf(f field) []int16 {
	if f.Optional {
		return b.levels
	}
	return nil
}

// Finish completes the file under its temporary name, on disk; Close then only
// renames it. It is for callers with several files that must appear together.
func (w *Writer[T]) Finish() error {
	if w.done {
		return w.err
	}
	w.done = true
	return w.try(func() error {
		for _, key := range slices.Sorted(maps.Keys(w.meta)) {
			if err := w.pq.meta.AppendKeyValueMetadata(key, w.meta[key]); err != nil {
				return err
			}
		}
		if err := w.pq.meta.AppendKeyValueMetadata(sumKey, zeros); err != nil {
			return err
		}
		w.sum.footer = new(bytes.Buffer)
		if err := w.pq.close(); err != nil {
			return err
		}
		if err := w.sum.seal(); err != nil {
			return err
		}
		if err := w.mem.out.Flush(); err != nil {
			return err
		}
		return w.temp.Finish()
	})
}

// Close completes the file and gives it its name. When it fails nothing is
// left behind; a file that had the name before stays as it was.
func (w *Writer[T]) Close() error {
	if err := w.Finish(); err != nil {
		w.Abort()
		return err
	}
	return w.try(w.temp.Commit)
}

// Abort gives the table up and removes the temporary file. After a Close that
// succeeded it does nothing.
func (w *Writer[T]) Abort() {
	w.done = true
	w.temp.Abort()
}

// try runs one step unless an earlier one failed. Arrow panics when its sink
// fails, so a panic is an error here; the first one is kept.
func (w *Writer[T]) try(step func() error) (err error) {
	if w.err != nil {
		return w.err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		if err != nil {
			w.err = fmt.Errorf("%s: %w", w.path, ofPath(w.path, err))
			w.temp.Abort()
			err = w.err
		}
	}()
	return step()
}
