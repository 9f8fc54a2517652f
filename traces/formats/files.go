package formats

import (
	"fmt"
	"path/filepath"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/read"
)

// Include reads another file, which the options name, and lists it in the manifest.
func (b *Builder) Include(path string, add func(*read.Source) error) error {
	s, err := read.Open(b.files.ctx, path, b.files.window)
	if err != nil {
		return err
	}
	defer s.Close()
	s.Limit(maxFileBytes(&b.Options))
	return b.take(s, func() error { return add(s) })
}

// take lists a file in the manifest, and has it read.
func (b *Builder) take(s *read.Source, add func() error) error {
	list := &b.files.list
	s.Index = int32(len(*list))
	*list = append(*list, traces.SourceFile{Path: filepath.ToSlash(s.Path)})
	b.Report.Files++
	err := add()
	if err := s.Err(); err != nil { // what was read then seems to end where it does not
		return err
	}
	if err != nil {
		return err
	}
	if (*list)[s.Index], err = s.Finish(); err != nil {
		return err
	}
	if err := b.sameBytes(s); err != nil {
		return err
	}
	return b.Fits(s.Path, 0)
}

// sameBytes notes a file that holds what another does: the same file twice, or
// one trace under the names of two places. Jobs have no names that tell repeats,
// and are refused.
func (b *Builder) sameBytes(s *read.Source) error {
	sum := b.files.list[s.Index].SHA256
	other, twice := b.files.contents[sum]
	if !twice {
		b.files.contents[sum] = s.Path
		return nil
	}
	if len(b.set.Jobs) > 0 || b.each != nil && b.Report.Rows > 0 {
		return s.Errorf(0, 0, "holds the same bytes as %s: every job would be there twice", other)
	}
	b.Notef("%s holds the same bytes as %s", s.Base(), filepath.Base(other))
	return nil
}

// Fits refuses more in memory than is sane, with rows of a file that were not added yet: rows but those of prices,
// pools, and what tells repeats. An importer that keeps the rows of a file to its end asks as it reads on.
func (b *Builder) Fits(path string, rows int) error {
	n := b.set.Counts().Events() + len(b.set.Gaps) + len(b.set.Pools) + len(b.seen) + b.held + rows
	if n > b.files.max {
		return &traces.DataError{File: path, Msg: fmt.Sprintf("with it the trace has more than %d rows (prices "+
			"aside) and names, too much to hold in memory; import fewer files at a time", b.files.max)}
	}
	return nil
}

// SourcePath returns the path of a file by its place in the manifest.
func (b *Builder) SourcePath(file int32) string { return b.files.list[file].Path }
