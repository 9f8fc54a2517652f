package clouds

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// exported returns a set as a page, after a detour over Parquet.
func exported(t testing.TB, s *traces.Set) string {
	t.Helper()
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	again, err := traces.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := writePage(again, &text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Every recorded file comes back as it was, every character of it.
func TestExportRecordedFiles(t *testing.T) {
	files, err := filepath.Glob(tracetest.Recorded(t, "dime-aws-spot-prices", "cost") + "/*/*.json")
	if err != nil || len(files) != 180 && len(files) != 270 {
		t.Fatalf("%d files, %v, expected 270, or the 180 of six regions", len(files), err)
	}
	rows := 0
	for _, path := range files {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(want, []byte("SpotPrice\"")) == 0 {
			continue
		}
		s, _ := tracetest.Import(t, "", traces.Options{AllowTruncated: true}, path)
		got := exported(t, s)
		if i := strings.Index(string(want), `"NextToken": "`) + 14; want[i] != '"' { // the page that was cut: its token is not kept
			end := bytes.IndexByte(want[i:], '"')
			want = append(want[:i:i], want[i+end:]...)
		}
		if got != string(want) {
			t.Errorf("%s differs from what is exported", path)
		}
		rows += len(s.Prices)
	}
	t.Logf("%d price strings the same", rows)
}

// All the files as one trace: import, Parquet, export, import.
func TestExportRoundTrip(t *testing.T) {
	dir := tracetest.Recorded(t, "dime-aws-spot-prices")
	want, _ := tracetest.Import(t, "", traces.Options{AllowTruncated: true}, dir)
	text := exported(t, want)
	got, r := tracetest.Import(t, "aws-spot-price", traces.Options{}, tracetest.File(t, "all.json", text))
	if r.OutOfOrder != 0 || r.Duplicates != 0 {
		t.Errorf("the export is in another order than the service's: %+v", r)
	}
	if !reflect.DeepEqual(got.Pools, want.Pools) || len(got.Prices) != len(want.Prices) {
		t.Fatalf("%d pools, %d prices, expected %d, %d", len(got.Pools), len(got.Prices), len(want.Pools), len(want.Prices))
	}
	for i, w := range want.Prices {
		g := got.Prices[i]
		if g.SrcFile, g.SrcRow = w.SrcFile, w.SrcRow; g != w {
			t.Fatalf("row %d: %+v, expected %+v", i, g, w)
		}
	}
	if again := exported(t, got); again != text {
		t.Error("a second export differs from the first")
	}
}

func TestExport(t *testing.T) {
	row := strings.Replace(testutil.AWSRow(`us-east-1"b`, "1.5", "2020-02-20T22:00:00.000001Z"), `us-east-1"b`, `us-east-1\"b`, 1)
	withID := strings.Replace(testutil.AWSRow("us-east-1b", "1.5", testutil.T1), `{`, `{"AvailabilityZoneId": "use1-az2", `, 1)
	s, _ := tracetest.Import(t, "", traces.Options{}, tracetest.File(t, "a.json", testutil.AWSPage("", withID, row)))
	const want = `{
    "NextToken": "",
    "SpotPriceHistory": [
        {
            "AvailabilityZone": "us-east-1b",
            "AvailabilityZoneId": "use1-az2",
            "InstanceType": "p3.2xlarge",
            "ProductDescription": "Linux/UNIX",
            "SpotPrice": "1.500000",
            "Timestamp": "2020-02-20T23:00:00.000Z"
        },
        {
            "AvailabilityZone": "us-east-1\"b",
            "InstanceType": "p3.2xlarge",
            "ProductDescription": "Linux/UNIX",
            "SpotPrice": "1.500000",
            "Timestamp": "2020-02-20T22:00:00.000001Z"
        }
    ]
}
`
	if got := exported(t, s); got != want {
		t.Errorf("exported\n%s", got)
	}
}
