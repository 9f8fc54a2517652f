package catalogue

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

// Catalogue lists the public data sets by name.
func Catalogue() []Entry {
	list := slices.Clone(sets())
	for i := range list {
		list[i].Files = slices.Clone(checksums()[list[i].Name])
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// EntryNamed returns the data set with a name; the error names the nearest, or all.
func EntryNamed(name string) (*Entry, error) {
	var names []string
	for _, e := range Catalogue() {
		if e.Name == name {
			return &e, nil
		}
		names = append(names, e.Name)
	}
	return nil, registry.Unknown("data set", name, names)
}

// setText describes the public data sets, in the form of a list of described; their files are in catalogue.sums.
//
//go:embed catalogue.json
var setText []byte

// described is an entry as catalogue.json has it.
type described struct {
	Entry
	Format  string
	Options traces.Options
	Folder  string
	Moved   []moved
	Prices  string
}

// sets returns the entries in the order of catalogue.json, without their files.
var sets = sync.OnceValue(func() (list []Entry) {
	var all []described
	d := json.NewDecoder(bytes.NewReader(setText))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		panic(fmt.Sprintf("traces: catalogue.json: %v", err))
	}
	for i := range all {
		x := &all[i]
		e := x.Entry
		e.format, e.options, e.folder, e.moved, e.prices = x.Format, x.Options, x.Folder, x.Moved, x.Prices
		list = append(list, e)
	}
	return list
})

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
}

// place is where a file lies among those of its set: revisions in folders by commit.
func (f *File) place() string { return path.Join(f.Commit, f.Path) }

// moved says that paths which begin with repo begin with local in a copy.
type moved struct{ Repo, Local string }

// ErrNotPulled: the set is not in the cache.
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
	opt.TraceID, opt.Repo, opt.Commit = e.Name, e.Repo, e.Commit
	opt.Licence = cmp.Or(e.Licence, "none stated")
	return opt
}

// Load reads a trace from a folder in the neutral form, or imports a file or
// folder of any recognised format; pulled:NAME is a data set that was pulled. The
// report of a neutral folder has counts only.
func Load(path string, opt traces.Options) (*traces.Set, traces.Report, error) {
	path, err := located(path)
	if err != nil {
		return nil, traces.Report{}, err
	}
	if traces.Stored(path) {
		s, err := traces.Read(path)
		if err != nil {
			return nil, traces.Report{}, err
		}
		return s, s.Report(), nil
	}
	return formats.Import("", []string{path}, opt)
}

// Neutral returns the folder of a trace in the neutral form, of a path as Load takes it; "" if it
// is of another.
func Neutral(path string) (dir string, err error) {
	if path, err = located(path); err != nil || !traces.Stored(path) {
		return "", err
	}
	return path, nil
}

// located returns where a trace is: pulled:NAME is a folder.
func located(path string) (string, error) {
	name, ok := strings.CutPrefix(path, PulledPrefix)
	if !ok {
		return path, nil
	}
	dir, err := PulledDir(name)
	if err != nil {
		return "", err
	}
	if e, err := EntryNamed(name); err == nil && e.Kept != "" {
		return "", fmt.Errorf("%s is kept as files, in %s: %s", name, dir, e.Kept)
	}
	return dir, nil
}

// LoadJobs is Load of the jobs of a trace, each of which is handed to each, in the order of the files and the lines in them;
// they are not kept (formats.ImportJobs), but for those of a folder in the neutral form. A format is recognised if it is empty.
// It returns the files that were read, up to an error too.
func LoadJobs(format, path string, opt traces.Options, each func(*traces.JobRow) error) ([]traces.SourceFile, traces.Report, error) {
	path, err := located(path)
	if err != nil {
		return nil, traces.Report{}, err
	}
	if format != "" || !traces.Stored(path) {
		return formats.ImportJobs(format, []string{path}, opt, each)
	}
	s, err := traces.Read(path)
	if err != nil {
		return nil, traces.Report{}, err
	}
	files := s.Manifest.Source.Files
	slices.SortStableFunc(s.Jobs, func(a, b traces.JobRow) int {
		return cmp.Or(cmp.Compare(a.SrcFile, b.SrcFile), cmp.Compare(a.SrcRow, b.SrcRow))
	})
	for i := range s.Jobs {
		if err := each(&s.Jobs[i]); err != nil {
			return files, s.Report(), err
		}
	}
	return files, s.Report(), nil
}
