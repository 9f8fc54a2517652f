package catalogue

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
)

// checksumText holds the files of the sets, with their checksums. A line "set NAME" begins a set, "in FOLDER" a folder
// of its repository, and any other is a file: SHA-256, bytes, name (which may have spaces), and for a revision of a
// file that has several its commit. Behind "or" stands what a local copy holds instead of the file before it.
//
//go:embed catalogue.sums
var checksumText []byte

// checksums returns the files by set.
var checksums = sync.OnceValue(func() map[string][]File { return parseChecksums(checksumText) })

func parseChecksums(text []byte) map[string][]File {
	sums := map[string][]File{}
	set := ""
	folder := ""
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line))
		switch {
		case len(words) == 2 && words[0] == "set":
			set = words[1]
			folder = ""
		case len(words) == 2 && words[0] == "in" && set != "":
			folder = words[1]
		case len(words) > 1 && words[0] == "or" && len(sums[set]) > 0:
			file, err := parseFile(words[1:], ".")
			if err != nil {
				panic(fmt.Sprintf("traces: catalogue.sums: line %q: %v", line, err))
			}
			sums[set][len(sums[set])-1].Repacked = &file
		default:
			file, err := parseFile(words, folder)
			if err != nil || set == "" {
				panic(fmt.Sprintf("traces: catalogue.sums: line %q: %v", line, err))
			}
			sums[set] = append(sums[set], file)
		}
	}
	return sums
}

func parseFile(words []string, folder string) (f File, err error) {
	if len(words) < 3 || len(words[0]) != 64 || folder == "" {
		return f, fmt.Errorf("expected SHA-256, bytes and name in a folder")
	}
	if last := len(words) - 1; last > 2 && len(words[last]) == 40 {
		f.Commit = words[last]
		words = words[:last]
	}
	f.SHA256 = words[0]
	f.Path = path.Join(folder, strings.Join(words[2:], " "))
	if f.Bytes, err = strconv.ParseInt(words[1], 10, 64); err == nil && f.Bytes < 0 {
		err = fmt.Errorf("size %d", f.Bytes)
	}
	return f, err
}
