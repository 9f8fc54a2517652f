package store

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestJoinAndResolve(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Join("s3://b/x/", "plan=1", "part-0"), "s3://b/x/plan=1/part-0"},
		{Join("s3://b", "a"), "s3://b/a"},
		{Join("x", "a"), filepath.Join("x", "a")},
		{Resolve("s3://b/specs/a.yaml", "../traces/p.json"), "s3://b/traces/p.json"},
		{Resolve("s3://b/a.yaml", "../../p.json"), "s3://b/p.json"},
		{Resolve("s3://b/a.yaml", "s3://c/p.json"), "s3://c/p.json"},
		{Resolve("dir/a.yaml", "s3://c/p.json"), "s3://c/p.json"},
		{Resolve("dir/a.yaml", "p.json"), filepath.Join("dir", "p.json")},
		{Resolve("s3://b/a.yaml", "/p.json"), "/p.json"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// What is no path of an object is refused, and what could be a password is not repeated.
func TestParse(t *testing.T) {
	for path, want := range map[string]string{
		"s3://bucket/a/b":                          "",
		"s3://bucket":                              "",
		"s3://key:hush@bucket/a":                   "credentials come from the environment",
		"s3://bucket/a?hush=hush":                  "credentials come from the environment",
		"s3://bucket/a#hush":                       "credentials come from the environment",
		"s3://bucket/../a":                         "instead of a name",
		"s3://bucket//a":                           "instead of a name",
		"s3://bucket/a/./b":                        "instead of a name",
		"s3://bucket/a\\b":                         "slash",
		"s3://bucket/a\x1b[2J":                     "cannot be shown",
		"s3://bucket/a\xff":                        "cannot be shown",
		"s3://Bucket/a":                            "not the name of a bucket",
		"gs://key:hush@bucket/a":                   "Google's buckets by S3's protocol",
		"azblob://bucket/a":                        "mount the container",
		"s3:///a":                                  "not the name of a bucket",
		"s3://b:1/a":                               "not the name of a bucket",
		"s3://bucket/" + strings.Repeat("x", 1025): "at most 1024",
	} {
		_, err := parse(path)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v repeats what could be a password", path, err)
		}
	}
	if _, err := of("http://x/y"); err == nil || !strings.Contains(err.Error(), "s3://") {
		t.Errorf("another scheme: %v", err)
	}
}

// What is nearly a path of an object store is no local one.
func TestSpelling(t *testing.T) {
	t.Chdir(t.TempDir())
	for path, want := range map[string]string{
		"S3://bucket/a": "S3: is not how a path in an object store begins, expected s3://BUCKET/NAME; " +
			"a local path that begins so needs ./ before it: ./S3:",
		"s3:/bucket/a":       "expected s3://BUCKET/NAME",
		"Gs:bucket":          "Google's buckets by S3's protocol",
		"S3://key:hush@b/a":  "expected s3://BUCKET/NAME",
		"azBlob:/container/": "mount the container",
	} {
		_, opened := OpenInput(path)
		for what, err := range map[string]error{"Check": Check(path), "OpenInput": opened, "WriteBytes": WriteBytes(t.Context(), path, nil)} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%s(%q): %v, want %q", what, path, err, want)
			}
		}
	}
	if err := WriteBytes(t.Context(), "./s3:/a", nil); err != nil || Check("s3") != nil || Check("my-s3:x") != nil {
		t.Errorf("a local path is refused: %v", err)
	}
}

func TestMasked(t *testing.T) {
	for text, want := range map[string]string{
		"stat s3://ID:hush@bucket/x: no such file":                  "stat s3://... no such file",
		`unknown command "S3:/ID:hu/sh@bucket/x" for "marigram"`:    `unknown command "S3:/..." for "marigram"`,
		"gs://bucket/a?token=hush and azblob://c/a?sig=hush":        "gs://... and azblob://...",
		"s3://bucket/a: 12:30@noon, https://example.org/a: refused": "s3://bucket/a: 12:30@noon, https://example.org/a: refused",
	} {
		if got := Masked(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A list is of whoever may write into the bucket.
func TestHostileNames(t *testing.T) {
	got, err := names("a/", []string{"a/", "a/plan.json", "a/plan=1/"})
	if err != nil || strings.Join(got, " ") != "plan.json plan=1" {
		t.Errorf("%q, %v", got, err)
	}
	for _, key := range []string{"a/..", "a/../", "a//", "a/x/y", "/etc/passwd", "b/x", "a/\x1b[31m", `a/..\x`, "a/./"} {
		if got, err := names("a/", []string{key}); err == nil {
			t.Errorf("%q is taken as %q", key, got)
		}
	}
}

func FuzzPath(f *testing.F) {
	f.Add("s3://bucket/a/b", "../c")
	f.Add("s3://x-y/..", "s3://b/c")
	f.Fuzz(func(t *testing.T, path, name string) {
		a, err := parse(path)
		if err == nil && a.key != "" && (strings.Contains("/"+a.key+"/", "/../") || strings.HasPrefix(a.key, "/")) {
			t.Errorf("%q is taken: it leads elsewhere", path)
		}
		if got, err := names("a/", []string{name}); err == nil {
			for _, n := range got {
				if n == ".." || strings.ContainsAny(n, `/\`) {
					t.Errorf("%q is listed as %q", name, n)
				}
			}
		}
	})
}
