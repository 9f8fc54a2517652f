package store

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/marigram/marigram/internal/gone"
)

// s3Scheme is how a path in an object store begins, before "://".
const s3Scheme = "s3"

// IsRemote reports whether a path is of an object store, or of one that earlier releases knew: that is refused where
// the path is opened, and never taken for a file.
func IsRemote(path string) bool {
	scheme, _, is := strings.Cut(path, "://")
	return is && (scheme == s3Scheme || gone.Instead("object store", scheme) != "")
}

// almostRemote matches what is meant to be a path of an object store, whatever its letters and its slashes.
var almostRemote = regexp.MustCompile(`(?i)^(s3|gs|azblob):`)

// checkSpelling refuses a path that is nearly one of an object store: as a local one it would be a folder such as s3:.
// The error does not repeat what could be a password.
func checkSpelling(path string) error {
	start := almostRemote.FindString(path)
	if start == "" || IsRemote(path) {
		return nil
	}
	scheme := strings.ToLower(strings.TrimSuffix(start, ":"))
	if sentence := gone.Instead("object store", scheme); sentence != "" {
		return errors.New(sentence)
	}
	return fmt.Errorf("%s is not how a path in an object store begins, expected %s://BUCKET/NAME; "+
		"a local path that begins so needs ./ before it: ./%[1]s", start, scheme)
}

// withSecrets matches an address of an object store or of the web that has a user, a password or parameters.
var withSecrets = regexp.MustCompile(`(?i)\b(s3|gs|azblob|https?)(:/+)([^\s"'@?]*@|[^\s"'?]*\?)[^\s"']*`)

// Masked returns a text without the user, the password and the parameters of addresses in it, for messages.
func Masked(text string) string { return withSecrets.ReplaceAllString(text, "$1$2...") }

// Join joins a folder and names below it.
func Join(dir string, names ...string) string {
	if !IsRemote(dir) {
		return filepath.Join(append([]string{dir}, names...)...)
	}
	return strings.TrimRight(dir, "/") + path.Join("/", path.Join(names...))
}

// Stdin is the path of the standard input. What it names is relative to the present folder.
const Stdin = "/dev/stdin"

// Resolve returns the path of a file that another one names: relative to the folder of
// that one, unless it is a whole path of its own. It does not lead out of a bucket.
func Resolve(file, name string) string {
	switch {
	case IsRemote(name) || filepath.IsAbs(name) || file == Stdin:
		return name
	case !IsRemote(file):
		return filepath.Join(filepath.Dir(file), name)
	}
	scheme, rest, _ := strings.Cut(file, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	return scheme + "://" + bucket + path.Join("/", path.Dir(key), name)
}

// Abs returns the absolute form of a path.
func Abs(path string) (string, error) {
	if IsRemote(path) {
		return path, nil
	}
	return filepath.Abs(path)
}

// address is a path in an object store.
type address struct{ scheme, bucket, key string }

const letters = "abcdefghijklmnopqrstuvwxyz0123456789"

// bucketName reports whether stores allow a name, and no more: what has an @ or a : could be a password.
func bucketName(name string) bool {
	if len(name) < 3 || len(name) > 222 {
		return false
	}
	return strings.Trim(name[:1], letters) == "" && strings.Trim(name[1:], letters+"._-") == ""
}

// maxKey is the longest key in bytes that stores take.
const maxKey = 1024

// parse takes a path apart. Errors do not repeat what could be a password.
func parse(path string) (address, error) {
	scheme, rest, _ := strings.Cut(path, "://")
	if sentence := gone.Instead("object store", scheme); sentence != "" {
		return address{}, errors.New(sentence)
	}
	bucket, key, _ := strings.Cut(rest, "/")
	a := address{scheme, bucket, strings.TrimRight(key, "/")}
	if strings.ContainsAny(rest, "@?#") {
		return a, fmt.Errorf("%s://: a path in an object store has no user, password or parameters (@, ?, #), "+
			"expected %[1]s://BUCKET/NAME; credentials come from the environment", scheme)
	}
	if !bucketName(bucket) {
		return a, fmt.Errorf("%s://%q: not the name of a bucket, expected %[1]s://BUCKET/NAME, "+
			"with at least 3 small letters, digits, dots and dashes", scheme, bucket)
	}
	if a.key == "" {
		return a, nil
	}
	if len(a.key) > maxKey {
		return a, fmt.Errorf("%s://%s: a key of %d bytes, expected at most %d", scheme, bucket, len(a.key), maxKey)
	}
	for _, name := range strings.Split(a.key, "/") {
		if err := checkName(name); err != nil {
			return a, fmt.Errorf("%s://%s/%q: %w", scheme, bucket, a.key, err)
		}
	}
	return a, nil
}

// checkName refuses what is no name of a file: what leads to another folder, or hides on
// a terminal.
func checkName(name string) error {
	switch {
	case name == "" || name == "." || name == "..":
		return fmt.Errorf("has %q instead of a name", name)
	case strings.ContainsAny(name, `/\`):
		return fmt.Errorf("the name %q has a slash in it", name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the name %q has characters that cannot be shown", name)
	}
	return nil
}
