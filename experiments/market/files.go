//go:build !js

package market

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats"
)

// notPulled names the sets that are not pulled, all at once, and what to type: the command that
// pulls them, or settings that read folders in their place.
func (m *Markets) notPulled() error {
	var names, settings []string
	at := ""
	for i := range m.spec.Market.Traces {
		h := &m.spec.Market.Traces[i]
		name, pulled := strings.CutPrefix(h.Path, catalogue.PulledPrefix)
		if !pulled || h.Format != "" || m.given[h.Name] != nil {
			continue
		}
		if _, err := catalogue.PulledDir(name); !errors.Is(err, catalogue.ErrNotPulled) {
			continue // another error is that of reading it
		}
		names, settings = append(names, name), append(settings, fmt.Sprintf("-s market.traces.%d.path=FOLDER", i))
		at = cmp.Or(at, fmt.Sprintf("$.market.traces[%d]", i))
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return m.spec.ErrorAt(at, "%s %v; add --pull to marigram run, or: marigram traces pull %s\n"+
			"or, to read a folder of its files, or of a part of them, in its place, add %s",
			names[0], catalogue.ErrNotPulled, names[0], settings[0])
	}
	return m.spec.ErrorAt(at, "%s are not pulled; add --pull to marigram run, or: marigram traces pull %s\n"+
		"or, to read folders of their files, or of a part of them, in their place, add %s",
		strings.Join(names, ", "), strings.Join(names, " "), strings.Join(settings, " "))
}

// neutral returns the folder of a trace of a spec that is in the neutral form, "" if it is not.
func neutral(s *spec.Spec, h *spec.Trace) (dir string, err error) {
	if strings.HasPrefix(h.Path, catalogue.PulledPrefix) {
		return catalogue.Neutral(h.Path)
	}
	return catalogue.Neutral(s.Path(h.Path))
}

// Load reads a trace of a spec from its files.
func Load(s *spec.Spec, h *spec.Trace) (set *traces.Set, err error) {
	opt := traces.Options{AllowTruncated: h.AllowTruncated, Polarity: traces.Polarity(h.Polarity),
		Disorder: traces.Disorder(h.Disorder), Unit: h.Step()}
	switch pulled := strings.HasPrefix(h.Path, catalogue.PulledPrefix); {
	case pulled && h.Format != "":
		err = fmt.Errorf("format %q for %s, expected none: it was converted when it was pulled", h.Format, h.Path)
	case pulled:
		set, _, err = catalogue.Load(h.Path, opt)
	case h.Format == "":
		set, _, err = catalogue.Load(s.Path(h.Path), opt)
	default:
		set, _, err = formats.Import(h.Format, []string{s.Path(h.Path)}, opt)
	}
	return set, err
}
