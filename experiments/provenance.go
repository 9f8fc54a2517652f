package experiments

import (
	"io"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/store"
)

// Provenance says where the study's results come from. args is the command line
// as far as results depend on it.
func (s *Study) Provenance(version, commit string, args []string) (results.Provenance, error) {
	spec := s.Spec
	_, source := spec.Source()
	p := results.Provenance{
		Version:     version,
		Commit:      commit,
		SpecName:    spec.Name,
		SpecSHA256:  results.SHA256(source),
		Seed:        spec.Seed,
		CommandLine: args,
		GOARCH:      runtime.GOARCH,
	}
	for _, f := range slices.Concat(s.Markets.Inputs, s.work.inputs()) {
		p.Inputs = append(p.Inputs, results.Input{Name: f.Path, SHA256: f.SHA256})
	}
	for _, name := range spec.OtherFiles() {
		data, err := readInput(spec.Path(name))
		if err != nil {
			return p, err
		}
		p.Inputs = append(p.Inputs, results.Input{Name: filepath.Base(name), SHA256: results.SHA256(data)})
	}
	return p, nil
}

// readInput returns the text of a file.
func readInput(path string) ([]byte, error) {
	f, err := store.OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
