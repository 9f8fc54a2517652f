package policies

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/experiments/judge"
)

// Half a pair is worse than none: the next try would refuse the name.
func TestNoHalfPair(t *testing.T) {
	name := filepath.Join(t.TempDir(), "k")
	key, err := judge.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(name+".pub/taken", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := writePair(name, key); err == nil {
		t.Error("written over a folder")
	}
	if _, err := os.Lstat(name + ".key"); !os.IsNotExist(err) {
		t.Errorf("the secret key stays: %v", err)
	}
	if err := os.RemoveAll(name + ".pub"); err != nil {
		t.Fatal(err)
	}
	if err := writePair(name, key); err != nil {
		t.Error(err)
	}
}
