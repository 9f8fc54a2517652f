package formats

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
)

func TestUnpackErrors(t *testing.T) {
	big := strings.Repeat(" ", 1<<20)
	for name, c := range map[string]struct {
		text  string
		limit int64
		want  string
	}{
		"gzip bomb": {gzipped(t, big), 1 << 19, "is more than 524288 bytes of text"},
		"zstd bomb": {zstded(t, big), 1 << 19, "is more than 524288 bytes of text"},
		"cut gzip":  {gzipped(t, big)[:100], 0, "does not unpack as gzip: unexpected EOF"},
		"cut zstd":  {zstded(t, big)[:20], 0, "does not unpack as zstd"},
		"no gzip":   {"\x1f\x8bxx", 0, "does not unpack as gzip"},
		"empty":     {gzipped(t, ""), 0, "is empty"},
	} {
		_, _, err := Import("aws-spot-price", []string{file(t, "a.json.gz", c.text)}, traces.Options{MaxFileBytes: c.limit})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
}
