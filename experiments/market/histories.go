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
	"github.com/marigram/marigram/traces/replay"
)

// sources reads the spec's histories, by name.
func (m *Markets) sources() (map[string]source, error) {
	sources := map[string]source{}
	if err := m.notPulled(); err != nil {
		return nil, err
	}
	var names []string
	for i := range m.spec.Market.Histories {
		h := &m.spec.Market.Histories[i]
		src, err := m.read(h)
		if err != nil {
			return nil, m.spec.ErrorAt(fmt.Sprintf("$.market.histories[%d]", i), "%v", err)
		}
		sources[h.Name] = src
		names = append(names, h.Name)
	}
	m.Name = strings.Join(names, "+")
	return sources, nil
}

// notPulled names the sets that are not pulled, all at once, and what to type: the command that
// pulls them, or settings that read folders in their place.
func (m *Markets) notPulled() error {
	var names, settings []string
	at := ""
	for i := range m.spec.Market.Histories {
		h := &m.spec.Market.Histories[i]
		name, pulled := strings.CutPrefix(h.Path, catalogue.PulledPrefix)
		if !pulled || h.Format != "" || m.given[h.Name] != nil {
			continue
		}
		if _, err := catalogue.PulledDir(name); !errors.Is(err, catalogue.ErrNotPulled) {
			continue // another error is that of reading it
		}
		names, settings = append(names, name), append(settings, fmt.Sprintf("-s market.histories.%d.path=FOLDER", i))
		at = cmp.Or(at, fmt.Sprintf("$.market.histories[%d]", i))
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return m.spec.ErrorAt(at, "%s %v; marigram traces pull %s\nor, to read a folder of its files, or of a part of them, in its place, add %s",
			names[0], catalogue.ErrNotPulled, names[0], settings[0])
	}
	return m.spec.ErrorAt(at, "%s are not pulled; marigram traces pull %s\nor, to read folders of their files, or of a part of them, in their place, add %s",
		strings.Join(names, ", "), strings.Join(names, " "), strings.Join(settings, " "))
}

// load returns a history: the one that was given, or of its files.
func (m *Markets) load(h *spec.History) (set *traces.Set, err error) {
	if set = m.given[h.Name]; set != nil {
		own := *set
		return &own, nil
	}
	return Load(m.spec, h)
}

// Load reads a history of a spec from its files.
func Load(s *spec.Spec, h *spec.History) (set *traces.Set, err error) {
	opt := traces.Options{AllowTruncated: h.AllowTruncated, Polarity: traces.Polarity(h.Polarity),
		Disorder: traces.Disorder(h.Disorder)}
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

func (m *Markets) read(h *spec.History) (source, error) {
	set, err := m.load(h)
	if err != nil {
		return source{}, err
	}
	m.Inputs = append(m.Inputs, set.Manifest.Source.Files...)
	from, err := beginning(h, set)
	if err != nil {
		return source{}, err
	}
	if m.origin == nil && h == &m.spec.Market.Histories[0] && set.Manifest.ClockKind != traces.ClockRelative {
		m.origin = &from
	}
	if m.known != nil {
		if set, err = m.untilKnown(set, from); err != nil {
			return source{}, err
		}
	}
	src := source{trace: replay.New(set), set: set, from: from}
	set.Prices, set.Capacity = nil, nil // the trace has them, in less room
	if src.from < set.Manifest.TStartUs || src.from >= set.Manifest.TEndUs {
		return src, fmt.Errorf("the run would start at %s, but the history goes from %s to %s", stamp(src.from),
			stamp(set.Manifest.TStartUs), stamp(set.Manifest.TEndUs))
	}
	return src, nil
}
