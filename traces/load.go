package traces

import "strings"

// Load reads a trace from a folder in the neutral form, or imports a file or
// folder of any recognised format; pulled:NAME is a data set that was pulled. The
// report of a neutral folder has counts only.
func Load(path string, opt Options) (*Set, Report, error) {
	if name, ok := strings.CutPrefix(path, PulledPrefix); ok {
		dir, err := PulledDir(name)
		if err != nil {
			return nil, Report{}, err
		}
		path = dir
	}
	if Stored(path) {
		s, err := Read(path)
		if err != nil {
			return nil, Report{}, err
		}
		return s, s.Report(), nil
	}
	return Import("", []string{path}, opt)
}
