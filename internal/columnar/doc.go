// Package columnar keeps tables of plain Go structs in Parquet files. It is the
// only package of the project that knows Apache Arrow (arrow/go v15, which is
// frozen upstream: its successor differs in the import path).
//
// A table is a slice of structs; struct tags name the columns, and an embedded
// struct lends its own:
//
//	type row struct {
//		Run  int64    `col:"run" doc:"number of the run"`
//		Cost float64  `col:"cost_usd" unit:"USD" doc:"what the run cost"`
//		End  *float64 `col:"finish_s" unit:"s" doc:"when it finished; null when it did not"`
//		At   int64    `col:"at" type:"timestamp" doc:"microseconds since 1970, UTC"`
//		Rate int64    `col:"rate" dict:"true" doc:"few distinct values"`
//	}
//	err := columnar.Write("table.parquet", map[string]string{"seed": "1"}, rows)
//	rows, meta, err := columnar.Read[row]("table.parquet")
//	meta, err = columnar.Scan("table.parquet", func(rows []row) error { ... })
//
// # What is written
//
// Row groups of at most 64 Ki rows, snappy, format version 2.6 with data pages
// of version 1; dictionaries for strings and for columns tagged dict:"true"
// only, DELTA_BINARY_PACKED for other int64 that may not be null, PLAIN for the
// rest. Differences halve the file of a price history, which is read in two
// thirds of the time that it takes with plain integers. The same rows and
// metadata give the same bytes. A file appears under its name only when it is
// complete: it is written under a temporary name in the same folder, synced and
// renamed. The metadata carry a CRC-32C of the whole file, which is checked
// before rows are read.
//
// # What is read
//
// Any flat Parquet file whose columns have the types above, in PLAIN or
// dictionary encoding or, of int64, DELTA_BINARY_PACKED, uncompressed or snappy,
// with data pages of version 1: what most writers give when asked for no more
// than that. A float64 may be stored in 32 bits, an int32 be annotated as narrower. Columns are matched by name, and
// those that the struct does not have are ignored. A column with a tag added, the version in which it was added, may
// be missing: it is then read as zero, or null.
//
// Files are taken to be hostile. Arrow v15 reads pages in ways that a damaged
// file turns into an endless loop (levels that end early) or an allocation of
// many gigabytes (sizes and dictionary indices are believed), which recover
// cannot stop; so Arrow reads only the footer, after walkThrift has bounded
// it, and the pages are decoded here, where every size is checked against the
// bytes at hand and everything allocated is charged to a budget proportional
// to the file, or bounded by the rows, which are. A page is decoded into the
// field of the rows of a row group (cells).
package columnar
