package document

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// versions are those of the schemas: each counts the changes of keys that a reader must know of. Version 2 of specs
// gave keys and settings of policies better names.
var versions = map[string]int{"spec": 2, "sweep": 1, "state": 1, "advice": 1}

// home is where the newest release has the schemas.
const home = "https://github.com/marigram/marigram/releases/latest/download/"

// read are the kinds that are read, and may name their schema.
var read = map[string]bool{"spec": true, "sweep": true, "state": true}

// address is the stable address of a schema of this version.
func address(kind string) string {
	return fmt.Sprintf("%smarigram-%s-%d.schema.json", home, kind, versions[kind])
}

// schemaKey is the key by which a document names its schema, for editors.
const schemaKey = "$schema"

var schemaFile = regexp.MustCompile(`(?:^|/)marigram-([a-z]+)-(\d+)\.schema\.json$`)

// checkSchema refuses the schema of another kind of document, or of a later version. Other addresses are left to
// editors.
func checkSchema(value, what string) error {
	parts := schemaFile.FindStringSubmatch(value)
	if parts == nil {
		return nil
	}
	kind := parts[1]
	known := versions[kind]
	version, err := strconv.Atoi(parts[2])
	switch {
	case !read[kind] || !slices.Contains(strings.Fields(what), kind):
		return fmt.Errorf("%s: %s names the schema of another kind (%s), expected that of %s",
			schemaKey, value, kind, what)
	case err != nil || version < 1 || version > known:
		return fmt.Errorf("%s: version %s of the schema, expected 1 to %d: take a newer marigram",
			schemaKey, parts[2], known)
	}
	return nil
}
