package workload

import (
	"errors"

	"github.com/marigram/marigram/traces"
)

// load says that a browser has no files.
func (*Workload) load(func(*traces.JobRow) error) (string, []traces.SourceFile, traces.Report, error) {
	return "", nil, traces.Report{}, errors.New("a browser has no files, expected synthetic jobs")
}
