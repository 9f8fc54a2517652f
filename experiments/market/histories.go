package market

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/catalogue"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/replay"
)

// sources reads the spec's histories, by name.
func (m *Markets) sources() (map[string]source, error) {
	sources := map[string]source{}
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

func (m *Markets) read(h *spec.History) (source, error) {
	opt := traces.Options{AllowTruncated: h.AllowTruncated, Polarity: traces.Polarity(h.Polarity),
		Disorder: traces.Disorder(h.Disorder)}
	var set *traces.Set
	var err error
	switch pulled := strings.HasPrefix(h.Path, catalogue.PulledPrefix); {
	case pulled && h.Format != "":
		err = fmt.Errorf("format %q for %s, expected none: it was converted when it was pulled", h.Format, h.Path)
	case pulled:
		set, _, err = catalogue.Load(h.Path, opt)
	case h.Format == "":
		set, _, err = catalogue.Load(m.spec.Path(h.Path), opt)
	default:
		set, _, err = formats.Import(h.Format, []string{m.spec.Path(h.Path)}, opt)
	}
	if err != nil {
		return source{}, err
	}
	m.Inputs = append(m.Inputs, set.Manifest.Source.Files...)
	src := source{trace: replay.New(set), set: set, from: set.Manifest.TStartUs + int64(h.FromS*1e6)}
	set.Prices, set.Capacity = nil, nil // the trace has them, in less room
	if h.From != "" {
		t, err := time.Parse(time.RFC3339, h.From)
		if err != nil {
			return src, err
		}
		src.from = t.UnixMicro()
	}
	if src.from < set.Manifest.TStartUs || src.from >= set.Manifest.TEndUs {
		return src, fmt.Errorf("the run would start at %s, but the history goes from %s to %s", stamp(src.from),
			stamp(set.Manifest.TStartUs), stamp(set.Manifest.TEndUs))
	}
	return src, nil
}
