//go:build !js

package columnar

import (
	"context"
	"unsafe"
)

// Read reads the table at path into rows of type T, and its metadata. Columns
// are found by name: one that T requires and the file lacks, has in another
// type, or has nulls in is an error, as is a file that is damaged or claims
// more rows than its size can hold; others are ignored. Errors name the file
// and the column. The whole table is in memory at once, the file is not. It
// panics only where Columns does.
func Read[T any](path string) (rows []T, meta map[string]string, err error) {
	return ReadUntil[T](context.Background(), path)
}

// ReadUntil is Read that gives up when ctx is done.
func ReadUntil[T any](ctx context.Context, path string) (rows []T, meta map[string]string, err error) {
	fields := fieldsOf[T]()
	err = withSource(ctx, path, func(s source) (err error) {
		rows, meta, err = parse[T](fields, s, true)
		return err
	})
	return rows, meta, err
}

// Scan reads as Read does, but has one row group in memory at a time: it calls
// visit with the rows of each, in their order. The next overwrite them. It ends
// with the first error of visit, which it returns with the name of the file.
// That a file is damaged where its checksum does not tell, as it has none, may
// be found only behind some of the rows.
func Scan[T any](path string, visit func(rows []T) error) (meta map[string]string, err error) {
	fields := fieldsOf[T]()
	err = withSource(context.Background(), path, func(s source) (err error) {
		meta, err = scan(fields, s, true, func(rows []T, _ int) error { return visit(rows) })
		return err
	})
	return meta, err
}

// Inspect checks the table at path against its checksum, and returns its metadata
// and its number of rows, which it does not decode. Errors name the file.
func Inspect(path string) (meta map[string]string, rows int64, err error) {
	return InspectUntil(context.Background(), path)
}

// InspectUntil is Inspect that gives up when ctx is done.
func InspectUntil(ctx context.Context, path string) (meta map[string]string, rows int64, err error) {
	err = withSource(ctx, path, func(s source) (err error) {
		defer recovered(&err)
		footer, of := checkedFooter(s, true)
		meta = of
		rows = footer.NumRows
		return nil
	})
	return meta, rows, err
}

// parse reads all rows of a table. To decode a row group where it stays in the
// cache, and to copy it, takes less time than to decode it in its place.
func parse[T any](fields []field, s source, sum bool) (rows []T, meta map[string]string, err error) {
	rows = []T{}
	meta, err = scan(fields, s, sum, func(group []T, total int) error {
		if len(group) == total {
			rows = group // nothing overwrites it
			return nil
		}
		if cap(rows) == 0 {
			rows = make([]T, 0, total)
		}
		rows = append(rows, group...)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return rows, meta, nil
}

// scan calls visit with the rows of one row group after the other and the number
// of all; sum says whether to check the checksum, where there is one.
func scan[T any](
	fields []field, s source, sum bool, visit func(group []T, total int) error,
) (map[string]string, error) {
	t, meta, err := openTable(fields, s, sum)
	if err != nil {
		return nil, err
	}
	total, largest, err := t.count(unsafe.Sizeof(*new(T)))
	if err != nil {
		return nil, err
	}
	group := make([]T, largest)
	for i := range t.footer.RowGroups {
		n, err := t.group(i, cellsOf(group))
		if err == nil && n > 0 {
			err = visit(group[:n], total)
		}
		if err != nil {
			return nil, err
		}
	}
	return meta, nil
}
