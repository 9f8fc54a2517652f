package catalogue

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// PullOptions say how a data set is pulled.
type PullOptions struct {
	// From is a local folder to take the files from, instead of downloading
	// them: a checkout of the repository, a folder with the set's own folder,
	// or that folder itself.
	From string
	// Cache is the folder that holds the pulled sets; empty: CacheDir.
	Cache string
	// Files is a folder in which the files are kept as they were published too, laid out as From takes them; empty:
	// nowhere.
	Files string
	// Progress is told how far the files have come.
	Progress func(PullProgress)
	// Download fetches a file of at most n bytes: download.HTTP. nil: From is needed.
	Download func(ctx context.Context, address string, largest int64) (io.ReadCloser, error)
	// AcceptNoLicence pulls a set although its repository states no licence.
	AcceptNoLicence bool
}

// PullProgress says how far a pull has come.
type PullProgress struct {
	File         string // the one under way, its path in the repository
	Bytes, Total int64  // of all files of the set
}

// Pulled is a data set in the cache.
type Pulled struct {
	Dir     string        // a trace in the neutral form; for a set that is kept as it is, its files
	Already bool          // it was there, whole
	Report  traces.Report // of the import; of a set that was there, counts only
}

// PulledPrefix begins the path of a pulled set: Load reads pulled:NAME from the
// cache.
const PulledPrefix = "pulled:"

// CacheDir returns the folder that holds the pulled sets: marigram/traces in
// the user's folder for caches (os.UserCacheDir).
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for pulled sets: %w", err)
	}
	return filepath.Join(dir, "marigram", "traces"), nil
}

// PulledDir returns the folder of a pulled set, or an error that says how to
// pull it (ErrNotPulled). Whether it is whole shows when it is read.
func PulledDir(name string) (string, error) {
	e, err := EntryNamed(name)
	if err != nil {
		return "", err
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, e.Name)
	if e.Kept != "" && isFolder(dir) {
		return dir, nil
	}
	if !traces.Stored(dir) {
		return "", fmt.Errorf("%s %w (there is no %s); marigram traces pull %s", name, ErrNotPulled, dir, name)
	}
	return dir, nil
}

// Pull brings a data set into the cache: it takes the files from their public
// home or a local folder, checks their sizes and SHA-256, and converts them to
// the neutral form. A set that is there and whole is left alone. The set appears
// when it is complete, and replaces an older one or a damaged one; after an
// error, and when ctx is cancelled, the cache is as it was. Errors name the file.
func Pull(ctx context.Context, e *Entry, opt PullOptions) (Pulled, error) {
	p, err := pull(ctx, e, opt)
	if err != nil {
		return Pulled{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	return p, nil
}

func pull(ctx context.Context, e *Entry, opt PullOptions) (Pulled, error) {
	if err := e.allowed(opt.AcceptNoLicence); err != nil {
		return Pulled{}, err
	}
	cache, err := opt.cache()
	if err != nil {
		return Pulled{}, err
	}
	dir := filepath.Join(cache, e.Name)
	if report, there := e.there(dir); there && e.publishedIn(opt.Files) {
		return Pulled{dir, true, report}, nil
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return Pulled{}, fmt.Errorf("cache: %w", err)
	}
	// What cannot be removed disturbs nobody: it stays.
	_ = atomicfile.Sweep(cache, atomicfile.Abandoned, setName().MatchString)
	temp, err := atomicfile.TempDir(cache, e.Name)
	if err != nil {
		return Pulled{}, fmt.Errorf("cache: %w", err)
	}
	defer os.RemoveAll(temp)
	paths, err := e.take(ctx, opt, temp)
	if err == nil {
		err = e.publish(paths, opt.Files)
	}
	if err != nil {
		return Pulled{}, err
	}
	report, err := e.convert(ctx, paths, temp, dir)
	return Pulled{dir, false, report}, err
}

// setName matches the names of data sets, also those of other versions.
var setName = read.Pattern(`^[a-z0-9][a-z0-9.-]*$`)

// there reports whether a set is in its folder, whole.
func (e *Entry) there(dir string) (traces.Report, bool) {
	if e.Kept != "" {
		return traces.Report{Files: len(e.Files)}, e.keptIn(dir)
	}
	s, err := traces.Read(dir)
	if err != nil || !e.matches(s) {
		return traces.Report{}, false
	}
	return s.Report(), true
}

// allowed returns why the set is not pulled.
func (e *Entry) allowed(acceptNoLicence bool) error {
	if e.Licence == "" && !acceptNoLicence {
		return fmt.Errorf("%w: %s", ErrNoLicence, e.Repo)
	}
	return e.Pullable()
}

func (opt *PullOptions) cache() (string, error) {
	if opt.Cache != "" {
		return opt.Cache, nil
	}
	return CacheDir()
}

// convert writes the trace of the files in a folder into another, or moves them
// there.
func (e *Entry) convert(ctx context.Context, paths []string, files, dir string) (traces.Report, error) {
	if e.Kept != "" {
		return traces.Report{Files: len(paths)}, keep(files, dir)
	}
	options := e.importOptions()
	if e.prices != "" {
		options.PriceArrays = filepath.Join(files, filepath.FromSlash(e.prices))
		paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasPrefix(path, options.PriceArrays) })
	}
	report, err := formats.ImportTo(ctx, e.format, paths, options, dir)
	if err != nil {
		return traces.Report{}, &conversionError{err, files}
	}
	return report, nil
}

// conversionError is an error of the import, which names files as they are
// called in the repository.
type conversionError struct {
	err   error
	files string // the folder that they are in
}

func (c *conversionError) Unwrap() error { return c.err }
func (c *conversionError) Error() string {
	return strings.ReplaceAll(c.err.Error(), c.files+string(filepath.Separator), "")
}

// take brings the files into a folder and returns where they lie.
func (e *Entry) take(ctx context.Context, opt PullOptions, dir string) ([]string, error) {
	from := e.origin(&opt)
	progress := PullProgress{Total: e.Bytes()}
	var paths []string
	for _, f := range e.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.place()))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		progress.File = f.Path
		err := f.take(ctx, from, path, func(n int) {
			progress.Bytes += int64(n)
			if opt.Progress != nil {
				opt.Progress(progress)
			}
		})
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// origin returns where the files come from.
func (e *Entry) origin(opt *PullOptions) origin {
	if opt.From != "" {
		return folderOrigin{e, opt.From}
	}
	return publicOrigin{e, opt.Download}
}
