package cli

import (
	"strconv"
	"strings"
)

// endings are the endings of a spec's keys, and how people write them.
var endings = []struct{ ending, unit string }{
	{"_usd_per_gb_month", "USD/GB/month"}, {"_usd_per_h", "USD/h"}, {"_gb_per_s", "GB/s"}, {"_gb", "GB"}, {"_steps", "steps"},
	{"_usd", "USD"}, {"_ms", "ms"}, {"_s", "s"}, {"_h", "h"},
}

// Words says a path of a spec as people do, for an axis: "replay: notice (s)" of
// market.replay.notice_s, "pools 0: quota" of market.pools.0.quota.
func Words(path string) string {
	parts := strings.Split(path, ".")
	last := parts[len(parts)-1]
	var where []string
	for i, p := range parts[:len(parts)-1] {
		if i == 0 && len(parts) > 2 && (p == "market" || p == "model" || p == "policy") {
			continue
		}
		if _, err := strconv.Atoi(p); err != nil {
			p = strings.ReplaceAll(p, "_", " ")
		}
		where = append(where, p)
	}
	unit := ""
	for _, u := range endings {
		if name, has := strings.CutSuffix(last, u.ending); has && name != "" {
			last, unit = name, " ("+u.unit+")"
			break
		}
	}
	text := strings.ReplaceAll(last, "_", " ") + unit
	if len(where) > 0 {
		text = strings.Join(where, " ") + ": " + text
	}
	return text
}
