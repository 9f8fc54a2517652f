package atomicfile

import (
	"errors"
	"fmt"
	"os"
)

// SetAside gives a file another name, one that is free: its own with why and a number
// behind it. It returns the name.
func SetAside(path, why string) (string, error) {
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.%s-%d", path, why, n)
		if _, err := os.Lstat(to); errors.Is(err, os.ErrNotExist) {
			return to, os.Rename(path, to)
		}
	}
}
