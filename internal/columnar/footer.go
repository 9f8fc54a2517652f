//go:build !js

package columnar

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/parquet/metadata"
)

const (
	// budgetFloor and budgetPerByte say how much a file may unfold to: the
	// densest tables that are written (constant columns) stay far below.
	budgetFloor   = 256 << 20
	budgetPerByte = 256
)

// fileFooter is the metadata of a file, and where they begin.
type fileFooter struct {
	*metadata.FileMetaData
	start int64
}

// checkedFooter reads the footer and checks the checksum if it is asked to and
// there is one.
func checkedFooter(s source, sum bool) (fileFooter, map[string]string) {
	footer, end := readFooter(s)
	meta := metaOf(footer.FileMetaData)
	stored, has := meta[sumKey]
	delete(meta, sumKey)
	switch {
	case sum && has:
		checkSum(s.part(footer.start), end, stored)
	case sum && footer.GetCreatedBy() == createdBy:
		fail("its checksum is gone")
	}
	return footer, meta
}

// readFooter parses the metadata at the end of the file, once walkThrift has
// found every size in it sound. It returns the bytes from them to the end too.
func readFooter(s source) (fileFooter, []byte) {
	if s.size < 12 || string(s.read(0, 4, nil)) != magic || string(s.read(s.size-4, 4, nil)) != magic {
		fail("it does not begin and end with %s", magic)
	}
	size := int64(binary.LittleEndian.Uint32(s.read(s.size-8, 4, nil)))
	if size > s.size-12 {
		fail("%d bytes of metadata in a file of %d", size, s.size)
	}
	start := s.size - 8 - size
	end := s.read(start, size+8, nil)
	checkFooter(end[:size])
	footer, err := metadata.NewFileMetaData(bytes.Clone(end[:size]), nil)
	if err != nil {
		fail("metadata: %v", err)
	}
	return fileFooter{footer, start}, end
}

// checkFooter holds the schema to a flat one: Arrow believes the numbers of
// children (field 5 of the elements of field 2) and descends by recursion.
func checkFooter(b []byte) {
	var elements int64
	var children []int64
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
