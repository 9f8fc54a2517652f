package columnar

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// foreign writes the numbers 0, 1, ... n-1 as column n the way another program
// might, with its own name for the type.
func foreign(t *testing.T, n int, node schema.Node, options ...parquet.WriterProperty) []byte {
	t.Helper()
	var out bytes.Buffer
	root := schema.MustGroup(schema.NewGroupNode("hive", parquet.Repetitions.Required, schema.FieldList{node}, -1))
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(options...)))
	column, err := w.AppendRowGroup().NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i)
	}
	var there, again []int16 // levels: all there, none a repetition
	if column.Descr().MaxRepetitionLevel() > 0 {
		there, again = slices.Repeat([]int16{1}, n), slices.Repeat([]int16{0}, n)
	}
	if _, err := column.(*file.Int64ColumnChunkWriter).WriteBatch(values, there, again); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestForeignFiles(t *testing.T) {
	type row struct {
		N int64 `col:"n"`
	}
	required := parquet.Repetitions.Required
	int64s := schema.NewInt64Node("n", required, -1)
	signed := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("n", required, schema.NewIntLogicalType(64, true), parquet.Types.Int64, -1, -1))
	unsigned := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("n", required, schema.NewIntLogicalType(64, false), parquet.Types.Int64, -1, -1))
	millis := schema.MustPrimitive(schema.NewPrimitiveNodeLogical("n", required, schema.NewTimestampLogicalType(true, schema.TimeUnitMillis),
		parquet.Types.Int64, -1, -1))
	nested := schema.MustGroup(schema.NewGroupNode("g", required, schema.FieldList{int64s}, -1))
	codec := parquet.WithCompression
	tests := []struct {
		name    string
		node    schema.Node
		options []parquet.WriterProperty
		err     string // "" where the file can be read
	}{
		{"uncompressed", int64s, nil, ""},
		{"annotated", signed, nil, ""},
		{"many pages", int64s, []parquet.WriterProperty{parquet.WithDataPageSize(1 << 12), codec(compress.Codecs.Snappy)}, ""},
		{"small dictionary", int64s, []parquet.WriterProperty{parquet.WithDictionaryPageSizeLimit(1 << 10)}, ""},
		{"format 1", int64s, []parquet.WriterProperty{parquet.WithVersion(parquet.V1_0)}, ""},
		{"gzip", int64s, []parquet.WriterProperty{codec(compress.Codecs.Gzip)}, "only snappy"},
		{"pages of version 2", int64s, []parquet.WriterProperty{parquet.WithDataPageVersion(parquet.DataPageV2)}, "data pages of version 1"},
		{"delta", int64s, []parquet.WriterProperty{parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked)}, ""},
		{"unsigned", unsigned, nil, "want int64"},
		{"milliseconds", millis, nil, "want int64"},
		{"repeated", schema.NewInt64Node("n", parquet.Repetitions.Repeated, -1), nil, "repeated"},
		{"nested", nested, nil, "flat"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			const n = 10_000
			rows, _, err := parse[row](fieldsOf[row](), sourceOf(foreign(t, n, test.node, test.options...)), true)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range rows {
				if r.N != int64(i) {
					t.Fatalf("row %d is %d", i, r.N)
				}
			}
			if len(rows) != n {
				t.Fatalf("%d rows", len(rows))
			}
		})
	}
}

// Numbers that others keep in fewer bits are read exactly, with and without a dictionary.
func TestNarrowNumbers(t *testing.T) {
	type row struct {
		X float64 `col:"x"`
		N int32   `col:"n"`
	}
	optional := parquet.Repetitions.Optional
	small := schema.NewIntLogicalType(8, true)
	root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{
		schema.NewFloat32Node("x", optional, -1),
		schema.MustPrimitive(schema.NewPrimitiveNodeLogical("n", optional, small, parquet.Types.Int32, -1, -1)),
	}, -1))
	for _, dictionary := range []bool{false, true} {
		var out bytes.Buffer
		w := file.NewParquetWriter(&out, root,
			file.WithWriterProps(parquet.NewWriterProperties(parquet.WithDictionaryDefault(dictionary))))
		group := w.AppendRowGroup()
		column := func() file.ColumnChunkWriter {
			next, err := group.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			return next
		}
		there := []int16{1, 1, 1}
		_, errX := column().(*file.Float32ColumnChunkWriter).WriteBatch([]float32{0.1, -3, 1e30}, there, nil)
		_, errN := column().(*file.Int32ColumnChunkWriter).WriteBatch([]int32{-128, 0, 127}, there, nil)
		if err := cmp.Or(errX, errN, w.Close()); err != nil {
			t.Fatal(err)
		}
		rows, _, err := parse[row](fieldsOf[row](), sourceOf(out.Bytes()), true)
		want := []row{{float64(float32(0.1)), -128}, {-3, 0}, {float64(float32(1e30)), 127}}
		if err != nil || !slices.Equal(rows, want) {
			t.Errorf("dictionary %v: %v, %v, expected %v", dictionary, rows, err, want)
		}
	}
}
