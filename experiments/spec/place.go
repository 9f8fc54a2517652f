package spec

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
)

// ErrorAt returns an error at a place in the file, such as "$.market.pools[0].quota".
func (s *Spec) ErrorAt(path, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	p, err := yaml.PathString(path)
	if err != nil {
		return fmt.Errorf("%s: %s: %s", s.file, path[2:], msg)
	}
	if node, err := p.FilterFile(s.tree); err == nil && node != nil {
		pos := node.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s: %s\n%s", s.file, pos.Line, pos.Column, path[2:], msg, excerpt(s.source, pos.Line, pos.Column))
	}
	return fmt.Errorf("%s: %s: %s", s.file, path[2:], msg)
}

// partError is an error in what a key holds, below the place that is checked.
type partError struct {
	key string // or several, joined by dots
	err error
}

func (e *partError) Error() string { return e.key + ": " + e.err.Error() }
func (e *partError) Unwrap() error { return e.err }

// atPart returns an error at a place, or below it where it is that of a part
// which the file has.
func (s *Spec) atPart(path, prefix string, err error) error {
	var part *partError
	if errors.As(err, &part) {
		below := path + "." + part.key
		if p, e := yaml.PathString(below); e == nil {
			if _, e := p.FilterFile(s.tree); e == nil {
				return s.ErrorAt(below, "%s%v", prefix, part.err)
			}
		}
	}
	return s.ErrorAt(path, "%s%v", prefix, err)
}
