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
	a, err := parse(path)
	if err != nil {
		return nil, err
	}
	buckets.Lock()
	defer buckets.Unlock()
	key := a.scheme + "://" + a.bucket
	if b, known := buckets.of[key]; known {
		return b, nil
	}
	o, err := newS3(a.bucket)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	buckets.of[key] = bucket{o}
	return bucket{o}, nil
}
