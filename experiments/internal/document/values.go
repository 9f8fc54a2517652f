package document

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// Values reads the values of a path from a command line: "market.replay.notice_s=30,120".
// They are YAML, with commas between them.
func Values(text string) (path string, values []any, err error) {
	path, list, ok := strings.Cut(text, "=")
	if !ok || path == "" || list == "" {
		return "", nil, fmt.Errorf("%q, expected path=value", text)
	}
	if data, err := readable([]byte("[" + list + "]")); err != nil {
		return "", nil, fmt.Errorf("%.40q: the values: %w", text, err)
	} else if err := yaml.Unmarshal(data, &values); err != nil {
		return "", nil, fmt.Errorf("%q: the values are not YAML", text)
	}
	return path, values, nil
}
