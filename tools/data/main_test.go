package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A stand-in for the program pulls one of two sets; of the copy's folders that are listed everything is taken once.
func TestGet(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("HOME", dir)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		list:            "# a note\nset,files,bytes,sha256,copies\nwhole,1,2500000,00,w\ncut,2,100,00,c d\n",
		"program":       "#!/bin/sh\necho \"$3 from $7\"\n[ $3 = whole ]\n",
		"from/c/x/part": "a part", "from/e/other": "not listed",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ from, want string }{
		{"from", "1 of 2: whole from from\n2 of 2: cut from from\n1 of 2 sets are there, 2.5 MB as published\nfrom has not, or not all of: cut\n"},
		{"", "1 of 2: whole from\n2 of 2: cut from\n1 of 2 sets are there, 2.5 MB as published\n"},
	} {
		var out strings.Builder
		err := get("./program", c.from, &out)
		if out.String() != c.want || (err == nil) != (c.from != "") {
			t.Errorf("%q, %v, want %q", out.String(), err, c.want)
		}
	}
	if text, err := os.ReadFile(filepath.Join(cache, "marigram/files/c/x/part")); err != nil || string(text) != "a part" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(cache, "marigram/files/e")); err == nil {
		t.Error("a folder that is not listed was taken")
	}
}
