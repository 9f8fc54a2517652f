package catalogue

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
)

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

// LoadJobs is Load of the jobs of a trace, each of which is handed to each, in the order of the files and the lines in
// them; they are not kept (formats.ImportJobs), but for those of a folder in the neutral form. A format is recognised
// if it is empty. It returns the files that were read, up to an error too.
func LoadJobs(format, path string, opt traces.Options, each func(*traces.JobRow) error) (
	[]traces.SourceFile, traces.Report, error) {
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
