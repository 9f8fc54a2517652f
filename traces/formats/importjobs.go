package formats

import (
	"context"

	"github.com/marigram/marigram/traces"
)

// ImportJobs is Import of lists of jobs that may be larger than memory: each is called for every job, in the order
// of the files and of the lines in them, and the jobs are not kept. Its first error ends the import. It returns
// the files that were read, up to an error too. Names of jobs are still held (32 bytes each), where a format wants them unique.
func ImportJobs(format string, paths []string, opt traces.Options, each func(*traces.JobRow) error) ([]traces.SourceFile, traces.Report, error) {
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
