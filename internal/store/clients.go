//go:build !js

package store

import (
	"fmt"
	"sync"
)

// buckets are those that were asked for by now: their clients keep connections and credentials.
var buckets = struct {
	sync.Mutex
	of map[string]bucket
}{of: map[string]bucket{}}

func bucketOf(path string) (keeper, error) {
	at, err := parse(path)
	if err != nil {
		return nil, err
	}
	buckets.Lock()
	defer buckets.Unlock()
	key := at.scheme + "://" + at.bucket
	if asked, known := buckets.of[key]; known {
		return asked, nil
	}
	objects, err := newS3(at.bucket)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	buckets.of[key] = bucket{objects}
	return bucket{objects}, nil
}
