package catalogue

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What a killed pull left is removed by the next, unless something in it was
// written of late; nothing else in the cache is touched.
func TestPullSweeps(t *testing.T) {
	cache, old := t.TempDir(), time.Now().Add(-25*time.Hour)
	for _, c := range []struct {
		path string
		when time.Time
	}{
		{".made-up.123.tmp/files/a.csv", old},
		{".dime-aws-spot-prices.4000000000.tmp/trace/x", old},
		{".made-up.77.tmp/files/under-way", time.Now()},
		{".made-up.x.tmp/files/not-ours", old},
		{"made-up.9.tmp/not-hidden", old},
		{".made-up.5.tmp.d/not-ours", old},
	} {
		path := filepath.Join(cache, c.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		for p := path; p != cache; p = filepath.Dir(p) {
			if err := os.Chtimes(p, c.when, c.when); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chtimes(filepath.Join(cache, ".made-up.77.tmp"), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := Pull(t.Context(), inventedEntry(), PullOptions{Cache: cache, Download: client(t, serve)}); err != nil {
		t.Fatal(err)
	}
	if got, want := filesUnder(t, cache), ".made-up.5.tmp.d .made-up.77.tmp .made-up.x.tmp made-up made-up.9.tmp"; got != want {
		t.Errorf("in the cache: %s, expected %s", got, want)
	}
}
