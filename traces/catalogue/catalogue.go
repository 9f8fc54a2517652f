package catalogue

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

// Entry is one public data set of the catalogue, made into one trace. No
// recorded data is part of this program: an entry says where the data is, and
// how to tell that it is unchanged.
type Entry struct {
	Name  string // by which Pull and `pulled:` paths call it
	What  string // what it records
	Cloud string // aws, gcp, azure, synthetic, or several
	Span  string // period observed, and how often

	Repo    string // owner/name of the public repository
	Commit  string // commit of it; fewer than 40 digits where no more are known
	Licence string // SPDX name; empty: the repository states none
	Files   []File // in lexical order; none where no checksum is known
	Note    string // doubts, and what is missing

	format  string         // importer; empty: recognised by content
	options traces.Options // what the files do not say
	folder  string         // local folder with a copy, under the folder of PullOptions.From
	moved   []moved        // how paths of the repository are named in that folder
}

// File is one file of a data set, as it is at the entry's commit.
type File struct {
	Path   string `json:"path"` // in the repository
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // lower-case hexadecimal
}

// moved says that paths which begin with repo begin with local in a copy.
type moved struct{ repo, local string }

// Why a data set is not pulled.
var (
	// ErrNoChecksum: nothing tells whether what comes is what was published.
	ErrNoChecksum = errors.New("not pullable: no checksum")
	// ErrNoLicence: the repository states none; PullOptions.AcceptNoLicence
	// leaves the decision to the user.
	ErrNoLicence = errors.New("the repository states no licence")
)

// Bytes returns the size of the files, 0 where no checksum is known.
func (e *Entry) Bytes() int64 {
	n := int64(0)
	for _, f := range e.Files {
		n += f.Bytes
	}
	return n
}

// Pullable returns why the set cannot be pulled, ErrNoChecksum, or nil. A set
// without a licence can, with PullOptions.AcceptNoLicence.
func (e *Entry) Pullable() error {
	if len(e.Files) == 0 {
		return ErrNoChecksum
	}
	return nil
}

// local returns where a file lies in the entry's local folder.
func (e *Entry) local(path string) string {
	for _, m := range e.moved {
		if rest, ok := strings.CutPrefix(path, m.repo); ok {
			return m.local + rest
		}
	}
	return path
}

// importOptions are the options of the import, with what the catalogue knows.
func (e *Entry) importOptions() traces.Options {
	opt := e.options
	opt.TraceID, opt.Repo, opt.Commit = e.Name, e.Repo, e.Commit
	opt.Licence = cmp.Or(e.Licence, "none stated")
	return opt
}

// Catalogue lists the public data sets by name.
func Catalogue() []Entry {
	list := slices.Clone(catalogue)
	for i := range list {
		list[i].Files = slices.Clone(checksums[list[i].Name])
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// EntryNamed returns the data set with a name; the error lists the names.
func EntryNamed(name string) (*Entry, error) {
	var names []string
	for _, e := range Catalogue() {
		if e.Name == name {
			return &e, nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("unknown data set %q, expected one of: %s", name, strings.Join(names, ", "))
}

// checksumText holds a line a file: SHA-256, bytes, entry, path.
//
//go:embed catalogue.sums
var checksumText []byte

var checksums = parseChecksums(checksumText)

func parseChecksums(text []byte) map[string][]File {
	sums := map[string][]File{}
	for line := range bytes.Lines(text) {
		f := strings.Fields(string(line))
		if len(f) != 4 || len(f[0]) != 64 {
			panic(fmt.Sprintf("traces: catalogue.sums: line %q", line))
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil || n < 0 {
			panic(fmt.Sprintf("traces: catalogue.sums: size in line %q", line))
		}
		sums[f[2]] = append(sums[f[2]], File{Path: f[3], Bytes: n, SHA256: f[0]})
	}
	return sums
}

// made reports whether a set was made of the entry's files, by the importer and
// the options of this program.
func (e *Entry) made(s *traces.Set) bool {
	m := &s.Manifest
	version, err := formats.Version(m.Importer.Name)
	if err != nil || version != m.Importer.Version || e.format != "" && e.format != m.Importer.Name {
		return false
	}
	var want, have []string
	for _, f := range e.Files {
		want = append(want, f.SHA256)
	}
	for _, f := range m.Source.Files {
		have = append(have, f.SHA256)
	}
	slices.Sort(want)
	slices.Sort(have)
	a, errA := json.Marshal(e.importOptions())
	b, errB := json.Marshal(m.Importer.Options)
	return slices.Equal(want, have) && errA == nil && errB == nil && bytes.Equal(a, b)
}
