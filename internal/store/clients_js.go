package store

import "fmt"

// A browser has no credentials to reach a bucket with.
func bucketOf(path string) (keeper, error) {
	return nil, fmt.Errorf("%s: a browser reaches no object store", path)
}
