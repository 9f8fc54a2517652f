package formats

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/marigram/marigram/traces"
)

// Format is a file format that can be imported.
type Format struct {
	Name    string // chosen by this name
	What    string // what it holds and who writes it
	Example string // how it begins
}

// importer reads one format. An importer is a file of this package and a line
// in importers.
type importer struct {
	Format
	version int
	// recognise reports whether a file has the format, from its content.
	recognise func(*source) bool
	// read adds what a file says.
	read func(*source, *build) error
	// streams says that no more than one row of a file is held at a time, but for
	// the table of prices: a file may have any size.
	streams bool
}

// importers in the order in which they are tried.
var importers = []importer{
	awsSpotPrice,
	awsSpotText,
	awsSpotLines,
	awsSpotArchive,
	awsEvents,
	spotAdvisor,
	azureRetail,
	azureGraph,
	azureDaily,
	azureEvents,
	gcpPrices,
	pricesCSV,
	gcpPricing,
	gcpHistory,
	countsJSON,
	availabilityCSV,
	nodeEvents,
	stepCounts,
	skynomadProbes,
	dimeLog,
	dimeLaunches,
	gcpOperations,
	lifetimeCSV,
	jobsCSV,
	gavelJobs,
}

// Formats lists the formats that Import reads.
func Formats() []Format {
	list := make([]Format, len(importers))
	for i, im := range importers {
		list[i] = im.Format
	}
	return list
}

func importerNamed(name string) (*importer, error) {
	var names []string
	for i := range importers {
		if importers[i].Name == name {
			return &importers[i], nil
		}
		names = append(names, importers[i].Name)
	}
	return nil, fmt.Errorf("unknown format %q, expected one of: %s", name, strings.Join(names, ", "))
}

// Version returns the version of the importer of a format: it rises when the importer
// makes other rows of the same files.
func Version(format string) (int, error) {
	im, err := importerNamed(format)
	if err != nil {
		return 0, err
	}
	return im.version, nil
}

// Import reads files of one format into a set. An empty format is recognised by
// content. Of a folder, the files within that have the format are read and the
// others are listed in the report; a file that is named must have it. Errors in
// the data are a *DataError.
func Import(format string, paths []string, opt traces.Options) (*traces.Set, traces.Report, error) {
	b := newBuild(opt)
	im, err := b.readAll(format, paths)
	if err != nil {
		return nil, traces.Report{}, err
	}
	set, err := b.finish(im, b.collect)
	return set, b.report, err
}

// collect takes prices into the set.
func (b *build) collect(rows []traces.PriceRow) error {
	b.set.Prices = append(b.set.Prices, rows...)
	return nil
}

// readAll reads all files with the importer of a format, or the first that knows
// one of them.
func (b *build) readAll(format string, paths []string) (im *importer, err error) {
	if err := b.opt.Check(); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if format != "" {
		if im, err = importerNamed(format); err != nil {
			return nil, err
		}
	}
	files, err := expand(paths)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if im, err = b.addFile(im, f); err != nil {
			return nil, err
		}
	}
	if im == nil {
		return nil, fmt.Errorf("%s: no file of a known format; the formats are listed in traces/FORMATS.md", strings.Join(paths, " "))
	}
	if !b.prices.any && b.set.Counts().Events() == 0 {
		return nil, fmt.Errorf("%s: no rows in %d files of format %s", strings.Join(paths, " "), b.report.Files, im.Name)
	}
	return im, nil
}

// addFile reads one file with an importer, or with the first that knows it.
func (b *build) addFile(im *importer, f input) (*importer, error) {
	s, err := openSource(b.ctx, f.path, b.window)
	if err != nil {
		return im, err
	}
	defer s.close()
	if s.empty() && !f.inFolder {
		return im, s.errorf(0, 0, "is empty")
	}
	found := recognise(s)
	switch {
	case f.inFolder && (found == nil || im != nil && found != im):
		b.report.Skipped = append(b.report.Skipped, filepath.ToSlash(f.path))
		return im, nil
	case im == nil && found == nil:
		return im, s.errorf(0, 0, "has no known format%s; name the format, or see traces/FORMATS.md", s.odd())
	case im == nil:
		im = found
	}
	return im, b.add(s, im)
}

func (b *build) add(s *source, im *importer) error {
	if !im.streams || b.prices.limit == 0 {
		s.limit(maxFileBytes(&b.opt))
	}
	return b.take(s, func() error { return im.read(s, b) })
}

// take lists a file in the manifest, and has it read.
func (b *build) take(s *source, read func() error) error {
	s.index = int32(len(b.sources))
	b.sources = append(b.sources, traces.SourceFile{Path: filepath.ToSlash(s.path)})
	b.report.Files++
	err := read()
	if s.err != nil { // what was read then seems to end where it does not
		return s.err
	}
	if err != nil {
		return err
	}
	if b.sources[s.index], err = s.finish(); err != nil {
		return err
	}
	if err := b.sameBytes(s); err != nil {
		return err
	}
	return b.room(s.path)
}

// sameBytes notes a file that holds what another does: the same file twice, or
// one history under the names of two places. Jobs have no names that tell repeats,
// and are refused.
func (b *build) sameBytes(s *source) error {
	sum := b.sources[s.index].SHA256
	other, twice := b.contents[sum]
	if !twice {
		b.contents[sum] = s.path
		return nil
	}
	if len(b.set.Jobs) > 0 {
		return s.errorf(0, 0, "holds the same bytes as %s: every job would be there twice", other)
	}
	b.notef("%s holds the same bytes as %s", s.base(), filepath.Base(other))
	return nil
}

// room refuses more in memory than is sane: rows but those of prices, pools, and
// what tells repeats.
func (b *build) room(path string) error {
	n := b.set.Counts().Events() + len(b.set.Gaps) + len(b.set.Pools) + len(b.seen) + len(b.operations) + len(b.probes)
	if n > b.most {
		return &traces.DataError{File: path, Msg: fmt.Sprintf("with it the trace has more than %d rows (prices aside) and names, too much to hold in memory; import fewer files at a time", b.most)}
	}
	return nil
}

func recognise(s *source) *importer {
	for i := range importers {
		if importers[i].recognise(s.beginning()) {
			return &importers[i]
		}
	}
	return nil
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
