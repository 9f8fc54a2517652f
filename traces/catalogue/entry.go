package catalogue

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/marigram/marigram/traces"
)

// Entry is one public data set of the catalogue, made into one trace. No
// recorded data is part of this program: an entry says where the data is, and
// how to tell that it is unchanged.
type Entry struct {
	Name  string // by which Pull and `pulled:` paths call it
	What  string // what it records
	Use   string // what it is good for
	Cloud string // aws, gcp, azure, synthetic, or several
	Span  string // period observed, and how often

	Repo    string // owner/name of the public repository
	Commit  string // commit of it; fewer than 40 digits where no more are known
	Licence string // SPDX name; empty: the repository states none
	Files   []File // in lexical order; none where no checksum is known
	Note    string // doubts, and what is missing

	// Kept says why the files are kept as they are: they are no trace that an importer
	// reads alone. Empty: they are converted to the neutral form.
	Kept string
	// Unsummed says why no checksum is known; empty where one is.
	Unsummed string

	format  string         // importer; empty: recognised by content
	options traces.Options // what the files do not say
	folder  string         // local folder with a copy, under the folder of PullOptions.From
	moved   []moved        // how paths of the repository are named in that folder
	prices  string         // folder of the repository with price arrays, a file each beside one of polls; empty: none
}

// File is one file of a data set, as it is at the entry's commit.
type File struct {
	Path   string `json:"path"` // in the repository
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // lower-case hexadecimal

	// Commit is that of a revision, where a set has several of one file; empty: the
	// entry's.
	Commit string `json:"commit,omitempty"`

	// Repacked is an archive with those members of this one that are read, which local copies hold instead; nil: there
	// is none. It is kept under the file's own name.
	Repacked *File `json:"-"`
}

// place is where a file lies among those of its set: revisions in folders by commit.
func (f *File) place() string { return path.Join(f.Commit, f.Path) }

// moved says that paths which begin with repo begin with local in a copy.
type moved struct{ Repo, Local string }

// ErrNotPulled says that the set is not in the cache.
var ErrNotPulled = errors.New("is not pulled")

// Why a data set cannot be pulled.
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
	if len(e.Files) > 0 {
		return nil
	}
	if e.Unsummed != "" {
		return fmt.Errorf("%w (%s); it is at https://github.com/%s", ErrNoChecksum, e.Unsummed, e.Repo)
	}
	return ErrNoChecksum
}

// local returns where a file lies in the entry's local folder.
func (e *Entry) local(path string) string {
	for _, m := range e.moved {
		if rest, ok := strings.CutPrefix(path, m.Repo); ok {
			return m.Local + rest
		}
	}
	return path
}

// importOptions are the options of the import, with what the catalogue knows.
func (e *Entry) importOptions() traces.Options {
	opt := e.options
	opt.TraceID = e.Name
	opt.Repo = e.Repo
	opt.Commit = e.Commit
	opt.Licence = cmp.Or(e.Licence, "none stated")
	return opt
}
