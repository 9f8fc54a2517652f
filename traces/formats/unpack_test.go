package formats_test

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

func TestUnpackErrors(t *testing.T) {
	big := strings.Repeat(" ", 1<<20)
	for name, c := range map[string]struct {
		text  string
		limit int64
		want  string
	}{
		"gzip bomb": {testutil.Gzipped(t, big), 1 << 19, "is more than 524288 bytes of text"},
		"zstd bomb": {testutil.Zstded(t, big), 1 << 19, "is more than 524288 bytes of text"},
		"cut gzip":  {testutil.Gzipped(t, big)[:100], 0, "does not unpack as gzip: unexpected EOF"},
		"cut zstd":  {testutil.Zstded(t, big)[:20], 0, "does not unpack as zstd"},
		"no gzip":   {"\x1f\x8bxx", 0, "does not unpack as gzip"},
		"empty":     {testutil.Gzipped(t, ""), 0, "is empty"},
	} {
		_, _, err := formats.Import("aws-spot-price", []string{tracetest.File(t, "a.json.gz", c.text)}, traces.Options{MaxFileBytes: c.limit})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
}
