package policies

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/marigram/marigram/experiments/judge"
)

// openSet opens a set by its name, its folder or its sealed file.
func openSet(name string, key *judge.Key) (*judge.Set, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return judge.Open(name)
	}
	text, err := readSealed(name)
	if err != nil {
		return nil, err
	}
	if key == nil {
		h, err := judge.ReadHeader(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, fmt.Errorf("%s is the sealed set %s, version %d, expected its owner's --key", name, h.Name, h.Version)
	}
	set, err := judge.OpenSealed(text, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return set, nil
}

const mostSealed = 1 << 30 // bytes

func readSealed(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSealed {
		return nil, fmt.Errorf("%s: expected a regular file of at most %d bytes", name, mostSealed)
	}
	return os.ReadFile(name)
}
