// Package spec holds what a study asks for: the YAML form of a spec, its checks, and
// the models that it names. Start with Spec, whose fields are the keys of the file,
// and Open:
//
//	s, err := spec.Open("mine.yaml", spec.Setting{Path: "market.replay.notice_s", Value: 30})
//
// Errors name file, line, column, value and what was expected. A key is a field with
// its name, unit and meaning in tags, from which Schema is made; a key that gets a
// better name keeps the former one in a tag (package internal/renamed). Figure is the
// spec of a published figure, for package claims.
package spec
