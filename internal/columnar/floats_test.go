package columnar

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"
	"pgregory.net/rapid"
)

// measured has columns that are written here and columns that Arrow writes.
type measured struct {
	Name   string   `col:"name"`
	Said   string   `col:"said"`
	Other  string   `col:"other"`
	Always float64  `col:"always"`
	Never  *float64 `col:"never"`
	Often  *float64 `col:"often"`
	Kind   float64  `col:"kind" dict:"true"`
	Last   int64    `col:"last"`
}

// byArrow is a table as Arrow's own writer has it, without metadata.
func byArrow(t *rapid.T, groups ...[]measured) []byte {
	var out bytes.Buffer
	fields := fieldsOf[measured]()
	pq := file.NewParquetWriter(&out, schemaOf(fields), file.WithWriterProps(properties(fields)))
	var b batch
	for _, rows := range groups {
		group := pq.AppendRowGroup()
		for _, f := range fields {
			column, err := group.NextColumn()
			if err == nil {
				err = b.write(column, f, cellsOf(rows).part(0, len(rows), f.offset))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := group.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := pq.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Columns that are written here have the bytes that Arrow writes.
func TestColumnsAsArrow(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1.5}))
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfN(number, 1, 5).Draw(t, "numbers")
		missing := rapid.SampledFrom([]int{1, 3, 5000}).Draw(t, "missing")
		said := strings.Repeat("ä", rapid.SampledFrom([]int{0, 1, 512, 513, 3000}).Draw(t, "said"))
		var groups [][]measured
		for _, n := range []int{rapid.SampledFrom([]int{1, 7, 8, 9, 1023, 1024, 1025, 3000}).Draw(t, "rows"), 20} {
			rows := make([]measured, n)
			for i := range rows {
				v := few[i%len(few)]
				rows[i] = measured{Name: "a", Said: said, Other: strings.Repeat("x", i%len(few)), Always: v, Kind: few[0], Last: int64(i)}
				if i%missing != missing-1 {
					rows[i].Often = &v
				}
			}
			groups = append(groups, rows)
		}
		var out bytes.Buffer
		w := &Writer[measured]{fields: fieldsOf[measured](), mem: new(Memory)}
		var err error
		if w.pq, err = newParquetFile(&out, schemaOf(w.fields), properties(w.fields)); err != nil {
			t.Fatal(err)
		}
		for _, rows := range groups {
			if err := w.group(cellsOf(rows)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.pq.close(); err != nil {
			t.Fatal(err)
		}
		if want := byArrow(t, groups...); !slices.Equal(out.Bytes(), want) {
			t.Errorf("%d bytes are not the %d of Arrow", out.Len(), len(want))
		}
	})
}
