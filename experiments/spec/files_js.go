package spec

import "errors"

// folder says that a browser has no files.
func (*Spec) folder(string) (string, error) {
	return "", errors.New("a browser has no files, expected another model")
}

// absent reports that none is.
func absent(error) bool { return false }
