package catalogue

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	_ "github.com/marigram/marigram/traces/formats/all" // Load reads them all
)

// Load reads a trace from a folder in the neutral form, or imports a file or
// folder of any recognised format; pulled:NAME is a data set that was pulled. The
// report of a neutral folder has counts only.
func Load(path string, opt traces.Options) (*traces.Set, traces.Report, error) {
	if name, ok := strings.CutPrefix(path, PulledPrefix); ok {
		dir, err := PulledDir(name)
		if err != nil {
			return nil, traces.Report{}, err
		}
		if e, err := EntryNamed(name); err == nil && e.Kept != "" {
			return nil, traces.Report{}, fmt.Errorf("%s is kept as files, in %s: %s", name, dir, e.Kept)
		}
		path = dir
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
