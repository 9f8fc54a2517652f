package market

import (
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/replay"
)

// source is a trace that was read.
type source struct {
	trace *replay.Trace
	set   *traces.Set
	from  int64 // us UTC: the start of a run
}

// pool returns a pool of the source by name; an empty name means its only one.
func (s *source) pool(name string) (int, error) {
	pools := s.trace.Pools()
	if name == "" && len(pools) == 1 {
		return 0, nil
	}
	var names []string
	for i, p := range pools {
		if p.Name == name {
			return i, nil
		}
		names = append(names, p.Name)
	}
	err := fmt.Errorf("no pool %q in the trace, which has %d pools", name, len(names))
	if hint := registry.DidYouMean("; ", name, names); hint != "" {
		return 0, fmt.Errorf("%w%s", err, hint)
	}
	return 0, fmt.Errorf("%w: %s", err, strings.Join(names[:min(len(names), 12)], ", "))
}

func stamp(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339) }
