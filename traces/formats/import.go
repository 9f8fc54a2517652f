package formats

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// maxFiles bounds the files of one import.
const maxFiles = 100_000

// Import reads files of one format into a set. An empty format is recognised by
// content. Of a folder, the files within that have the format are read and the
// others are listed in the report; a file that is named must have it. Errors in
// the data are a *traces.DataError.
func Import(format string, paths []string, opt traces.Options) (*traces.Set, traces.Report, error) {
	r := newRun(context.Background(), opt)
	if err := r.read(format, paths); err != nil {
		return nil, r.Report, err
	}
	set, err := r.collect()
	return set, r.Report, err
}

// ImportBytes is Import of one file that is in memory, under a name for errors and the manifest.
func ImportBytes(name string, text []byte, opt traces.Options) (*traces.Set, traces.Report, error) {
	r := newRun(context.Background(), opt)
	s, err := read.New(r.files.ctx, name, io.NopCloser(bytes.NewReader(text)), r.files.window)
	if err != nil {
		return nil, r.Report, err
	}
	defer s.Close()
	if err = r.addSource(s, false); err == nil {
		err = r.done([]string{name})
	}
	if err != nil {
		return nil, r.Report, err
	}
	set, err := r.collect()
	return set, r.Report, err
}

// run is an import under way.
type run struct {
	*Builder
	format   *Format // nil: not known yet
	importer Importer
}

func newRun(ctx context.Context, opt traces.Options) *run {
	return &run{Builder: newBuilder(ctx, opt)}
}

// use settles the format.
func (r *run) use(f *Format) {
	r.format = f
	r.Manifest.ClockKind = f.Clock
	if f.Clock == traces.ClockRelative {
		r.Manifest.ClockKind = r.RelativeClock()
	}
	r.Manifest.Semantics = f.Semantics
	if f.Kind == Jobs {
		r.Manifest.Semantics = traces.SemanticsJobs
	}
	r.importer = f.New(r.Builder)
}

// read reads all files in a format, or that of the first that has one.
func (r *run) read(format string, paths []string) error {
	if err := r.Options.Check(); err != nil {
		return fmt.Errorf("options: %w", err)
	}
	if format != "" {
		f, err := Named(format)
		if err != nil {
			return err
		}
		if f.Kind == Run {
			return fmt.Errorf("format %s records a run, expected one of a market or of jobs", f.Name)
		}
		r.use(&f)
	}
	files, err := expand(paths)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := r.addFile(f); err != nil {
			return err
		}
	}
	return r.done(paths)
}

// done ends the reading of files, which must have had rows.
func (r *run) done(paths []string) error {
	if r.format == nil {
		return fmt.Errorf("%s: no file of a known format; the formats are listed in traces/FORMATS.md",
			strings.Join(paths, " "))
	}
	if err := r.settle(); err != nil {
		return err
	}
	if r.each == nil && !r.prices.any && r.set.Counts().Events() == 0 {
		return fmt.Errorf("%s: no rows in %d files of format %s",
			strings.Join(paths, " "), r.Report.Files, r.format.Name)
	}
	return nil
}

// settle has the importer add what it could not before.
func (r *run) settle() error {
	if s, ok := r.importer.(Settler); ok {
		return s.Settle()
	}
	return nil
}

// collect makes a set that holds its prices.
func (r *run) collect() (*traces.Set, error) {
	return r.finish(r.format, func(rows []traces.PriceRow) error {
		r.set.Prices = append(r.set.Prices, rows...)
		return nil
	})
}

// addFile reads one file.
func (r *run) addFile(f input) error {
	s, err := read.Open(r.files.ctx, f.path, r.files.window)
	if err != nil {
		return err
	}
	defer s.Close()
	return r.addSource(s, f.inFolder)
}

// addSource reads the text of a file.
func (r *run) addSource(s *read.Source, inFolder bool) error {
	if s.Empty() && !inFolder {
		return s.Errorf(0, 0, "is empty")
	}
	if inFolder || r.format == nil {
		found, err := recognised(s)
		switch {
		case err != nil:
			return err
		case inFolder && (found == nil || found.Kind == Run || r.format != nil && found.Name != r.format.Name):
			r.Report.Skipped = append(r.Report.Skipped, filepath.ToSlash(s.Path))
			return nil
		case found == nil:
			return s.Errorf(0, 0, "has no known format%s; name the format, or see traces/FORMATS.md%s",
				s.Odd(), nearestHeader(s))
		case found.Kind == Run:
			return s.Errorf(0, 0, "has the format %s, which records a run, expected one of a market or of jobs; "+
				"marigram observe reads it", found.Name)
		case r.format == nil:
			r.use(found)
		}
	}
	return r.add(s)
}

// add reads one file with the importer.
func (r *run) add(s *read.Source) error {
	if r.each == nil && (!r.format.Streams || r.prices.limit == 0) {
		s.Limit(maxFileBytes(&r.Options))
	}
	return r.take(s, func() error { return r.importer.Read(s) })
}

// input is a file to read.
type input struct {
	path     string
	inFolder bool // found in a folder, not named
}

// expand replaces folders by the files in them, in lexical order. Links in
// folders are not followed.
func expand(paths []string) ([]input, error) {
	var files []input
	for _, p := range paths {
		if store.IsRemote(p) {
			files = append(files, input{path: p})
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, input{path: p})
			continue
		}
		err = filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files = append(files, input{path, true})
			}
			if len(files) > maxFiles {
				return fmt.Errorf("%s: more than %d files", p, maxFiles)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no files to import", strings.Join(paths, " "))
	}
	return files, nil
}

// ImportTo is Import followed by Set.Write, in memory that does not grow with
// the rows of prices, nor with the files of formats that hold prices alone: rows
// wait on disk, in dir, in files that are gone when it returns. Errors of writing
// are a *traces.WriteError. After an error, and when ctx is cancelled, dir is as it
// was.
func ImportTo(ctx context.Context, format string, paths []string, opt traces.Options, dir string) (traces.Report,
	error) {
	r := newRun(ctx, opt)
	r.prices.limit = spillRows
	err := r.importTo(format, paths, dir)
	return r.Report, err
}

func (r *run) importTo(format string, paths []string, dir string) error {
	return traces.Create(dir, func(w *traces.Writer) error {
		r.prices.dir = w.Dir()
		defer r.prices.close()
		if err := r.read(format, paths); err != nil {
			return err
		}
		set, err := r.finish(r.format, func(rows []traces.PriceRow) error {
			return cmp.Or(r.files.ctx.Err(), w.AppendPrices(rows, len(r.set.Pools)))
		})
		if err != nil {
			return err
		}
		return w.Finish(set)
	})
}

// ImportJobs is Import of lists of jobs that may be larger than memory: each is called for every job, in the order of
// the files and of the lines in them, and the jobs are not kept. Its first error ends the import. It returns the files
// that were read, up to an error too. Names of jobs are still held (32 bytes each), where a format wants them unique.
func ImportJobs(format string, paths []string, opt traces.Options, each func(*traces.JobRow) error) (
	[]traces.SourceFile, traces.Report, error) {
	r := newRun(context.Background(), opt)
	r.each = each
	err := r.read(format, paths)
	if r.failed != nil {
		err = r.failed
	}
	if err == nil {
		r.finishReport(r.format)
	}
	return relative(r.files.list), r.Report, err
}
