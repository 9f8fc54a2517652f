// Package wording has what is done with words: the nearest spelling of a mistyped name, and regular expressions that
// are compiled when they are first used.
package wording
