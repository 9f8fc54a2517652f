package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/parquet/metadata"
)

const (
	magic = "PAR1"
	// budgetFloor and budgetPerByte say how much a file may unfold to: the
	// densest tables that are written (constant columns) stay far below.
	budgetFloor   = 256 << 20
	budgetPerByte = 256
)

// Read reads the table at path into rows of type T, and its metadata. Columns
// are found by name: one that T requires and the file lacks, has in another
// type, or has nulls in is an error, as is a file that is damaged or claims
// more rows than its size can hold; others are ignored. Errors name the file
// and the column. The whole file and table are in memory at once. It panics
// only where Columns does.
func Read[T any](path string) (rows []T, meta map[string]string, err error) {
	fields := fieldsOf[T]()
	b, err := readRegular(path)
	if err == nil {
		rows, meta, err = parse[T](fields, b, true)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, meta, nil
}

// Inspect checks the table at path against its checksum, and returns its metadata
// and its number of rows, which it does not decode. Errors name the file.
func Inspect(path string) (meta map[string]string, rows int64, err error) {
	b, err := readRegular(path)
	if err == nil {
		meta, rows, err = inspect(b)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return meta, rows, nil
}

func inspect(b []byte) (meta map[string]string, rows int64, err error) {
	defer recovered(&err)
	footer, meta := checkedFooter(b, true)
	return meta, footer.NumRows, nil
}

// readRegular reads a file but no device or pipe, which need not end.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("is not a regular file (%v)", info.Mode())
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	b, err := os.ReadFile(path)
	return b, withoutPath(err)
}

// withoutPath drops the path from an error of package os: Read names it.
func withoutPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// parse reads a table from the bytes of a file; sum says whether to check the
// checksum, where there is one.
func parse[T any](fields []field, b []byte, sum bool) (rows []T, meta map[string]string, err error) {
	defer recovered(&err)
	footer, meta := checkedFooter(b, sum)
	t := table{fields: fields, footer: footer.FileMetaData, bytes: footer.pages, budget: budgetFloor + budgetPerByte*budget(len(b))}
	if err := t.match(); err != nil {
		return nil, nil, err
	}
	rows = make([]T, t.count(unsafe.Sizeof(*new(T))))
	t.read(cellsOf(rows))
	return rows, meta, nil
}

// recovered makes an error of a panic over a damaged file.
func recovered(err *error) {
	switch r := recover().(type) {
	case nil:
	case corrupt:
		*err = r
	default: // from Arrow's reading of the footer, or from Snappy
		*err = corrupt(fmt.Sprint(r))
	}
}

// fileFooter is the metadata of a file, and the bytes before them.
type fileFooter struct {
	*metadata.FileMetaData
	pages []byte
}

// checkedFooter reads the footer and checks the checksum if it is asked to and
// there is one.
func checkedFooter(b []byte, sum bool) (fileFooter, map[string]string) {
	footer, pages := readFooter(b)
	meta := metaOf(footer)
	stored, has := meta[sumKey]
	delete(meta, sumKey)
	switch {
	case sum && has:
		checkSum(b, len(pages), stored)
	case sum && footer.GetCreatedBy() == createdBy:
		fail("its checksum is gone")
	}
	return fileFooter{footer, pages}, meta
}

// readFooter parses the metadata at the end of the file, once walkThrift has
// found every size in it sound, and returns them and the bytes before.
func readFooter(b []byte) (*metadata.FileMetaData, []byte) {
	end := len(b) - 8
	if end < 4 || string(b[:4]) != magic || string(b[end+4:]) != magic {
		fail("it does not begin and end with %s", magic)
	}
	size := int64(binary.LittleEndian.Uint32(b[end:]))
	if size > int64(end-4) {
		fail("%d bytes of metadata in a file of %d", size, len(b))
	}
	start := end - int(size)
	checkFooter(b[start:end])
	footer, err := metadata.NewFileMetaData(bytes.Clone(b[start:end]), nil)
	if err != nil {
		fail("metadata: %v", err)
	}
	return footer, b[:start]
}

// checkFooter holds the schema to a flat one: Arrow believes the numbers of
// children (field 5 of the elements of field 2) and descends by recursion.
func checkFooter(b []byte) {
	elements, children := int64(0), []int64(nil)
	walkThrift(b, func(id int, v int64) {
		switch id {
		case 2:
			elements = v
		case 205:
			children = append(children, v)
		}
	})
	children = slices.DeleteFunc(children, func(n int64) bool { return n == 0 })
	if elements < 2 || len(children) != 1 || children[0] != elements-1 {
		fail("its columns are not a flat list")
	}
}

func metaOf(footer *metadata.FileMetaData) map[string]string {
	meta := make(map[string]string)
	kv := footer.KeyValueMetadata()
	values := kv.Values()
	for i, key := range kv.Keys() {
		meta[key] = values[i]
	}
	return meta
}
