//go:build !js

package workload

import (
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
)

// load reads the trace of the spec, and returns where it is.
func (w *Workload) load(each func(*traces.JobRow) error) (string, []traces.SourceFile, traces.Report, error) {
	path := w.spec.Jobs.Trace
	if !strings.HasPrefix(path, catalogue.PulledPrefix) {
		path = w.spec.Path(path)
	}
	files, report, err := catalogue.LoadJobs(w.spec.Jobs.Format, path, traces.Options{}, each)
	return path, files, report, err
}
