package store

import (
	"fmt"
	"strings"
)

// names returns the names below a prefix that a list has. The list is of whoever may
// write into the bucket: a key that is no name of a file is refused, and so is one that was
// not asked for.
func names(prefix string, keys []string) (names []string, err error) {
	for _, key := range keys {
		name, has := strings.CutPrefix(key, prefix)
		name = strings.TrimSuffix(name, "/")
		if key == prefix && has {
			continue // what consoles write as a folder
		}
		if !has {
			return nil, fmt.Errorf("lists the key %q, expected keys that begin with %q", key, prefix)
		}
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("lists the key %q: %w; expected files and folders only", key, err)
		}
		if names = append(names, name); len(names) > maxListed {
			return nil, fmt.Errorf("lists more than %d names", maxListed)
		}
	}
	return names, nil
}

// maxListed bounds a list: a sweep has at most a hundredth of that in a folder.
const maxListed = 1 << 24
