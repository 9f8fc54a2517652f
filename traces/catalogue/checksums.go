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

// checksumText holds the files of the sets, with their checksums. A line "set NAME"
// begins a set, "in FOLDER" a folder of its repository, and any other is a file: SHA-256,
// bytes, name (which may have spaces), and for a revision of a file that has several its commit.
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
		w := strings.Fields(string(line))
		switch {
		case len(w) == 2 && w[0] == "set":
			set = w[1]
			folder = ""
		case len(w) == 2 && w[0] == "in" && set != "":
			folder = w[1]
		default:
			f, err := parseFile(w, folder)
			if err != nil || set == "" {
				panic(fmt.Sprintf("traces: catalogue.sums: line %q: %v", line, err))
			}
			sums[set] = append(sums[set], f)
		}
	}
	return sums
}

func parseFile(w []string, folder string) (f File, err error) {
	if len(w) < 3 || len(w[0]) != 64 || folder == "" {
		return f, fmt.Errorf("expected SHA-256, bytes and name in a folder")
	}
	if n := len(w) - 1; n > 2 && len(w[n]) == 40 {
		f.Commit = w[n]
		w = w[:n]
	}
	f.SHA256 = w[0]
	f.Path = path.Join(folder, strings.Join(w[2:], " "))
	if f.Bytes, err = strconv.ParseInt(w[1], 10, 64); err == nil && f.Bytes < 0 {
		err = fmt.Errorf("size %d", f.Bytes)
	}
	return f, err
}
