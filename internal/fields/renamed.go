// Fields keep the former names of what users write and read: keys of
// specs, settings of policies, columns of tables. A field's former names stand in
// a tag beside its present one, separated by commas:
//
//	Sigma *float64 `json:"sigma" was:"spread"`
//	LostH float64  `col:"lost_h" was:"redone_h"`
//
// A former name still works in the release that renames, with a warning; the next
// release drops the tag. docs/renamed.md lists all of them.

package fields

import (
	"fmt"
	"reflect"
	"strings"
)

const tag = "was"

// Former returns the former names of a field; nil if it never had another.
func Former(f reflect.StructField) []string {
	text, has := f.Tag.Lookup(tag)
	if !has {
		return nil
	}
	return strings.Split(text, ",")
}

// RenamedWarning tells whoever used a former name what to write instead.
func RenamedWarning(former, present string) string {
	return fmt.Sprintf("%s is now called %s; the old name still works in this release, but not in the next", former,
		present)
}
