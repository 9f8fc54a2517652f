package formats_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/tracetest"
)

// awsPageFile writes a page of prices as the AWS command prints it, as long as
// more says of the rows and bytes so far: 100 pools that change in turn, newest
// first.
func awsPageFile(t testing.TB, more func(rows, bytes int) bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriter(f)
	b.WriteString("{\n    \"NextToken\": \"\",\n    \"SpotPriceHistory\": [")
	at := int64(1_700_000_000_000_000)
	for i, bytes := 0, 0; more(i, bytes); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		at -= 1_000_000 * int64(1+i%7)
		n, _ := fmt.Fprintf(b, "\n        {\n            \"AvailabilityZone\": \"us-east-1%c\",\n            \"InstanceType\": \"p%d.%dxlarge\",\n       "+
			"     \"ProductDescription\": \"Linux/UNIX\",\n            \"SpotPrice\": \"%d.%06d\",\n            \"Timestamp\": \"%s\"\n        }",
			'a'+rune(i%5), 2+i%4, 1+i/4%5, i%30, i*7919%1_000_000, traces.Stamp(at))
		bytes += n
	}
	b.WriteString("\n    ]\n}\n")
	if err := errors.Join(b.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// BenchmarkImportAWSJSON imports 50 MB of AWS prices into memory.
func BenchmarkImportAWSJSON(b *testing.B) {
	benchmarkImport(b, func(path string) error {
		_, _, err := formats.Import("aws-spot-price", []string{path}, traces.Options{})
		return err
	})
}

// BenchmarkImportToAWSJSON imports them into a folder.
func BenchmarkImportToAWSJSON(b *testing.B) {
	dir := b.TempDir()
	benchmarkImport(b, func(path string) error {
		_, err := formats.ImportTo(b.Context(), "aws-spot-price", []string{path}, traces.Options{}, dir)
		return err
	})
}

// benchmarkImport imports from warm cache. MB/cpu-s is by the CPU time of the
// process, whatever else runs.
func benchmarkImport(b *testing.B, read func(path string) error) {
	benchmarkFile(b, awsPageFile(b, func(_, bytes int) bool { return bytes < 50_000_000 }), read)
}

func benchmarkFile(b *testing.B, path string, read func(path string) error) {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	start := tracetest.CPUSeconds(b)
	for b.Loop() {
		if err := read(path); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(info.Size())*float64(b.N)/1e6/(tracetest.CPUSeconds(b)-start), "MB/cpu-s")
}

// BenchmarkImportPricesCSV imports 50 MB of prices from a table, with quotes around names
// and without.
func BenchmarkImportPricesCSV(b *testing.B) {
	for name, row := range map[string]string{
		"plain":  "%s,us-east-1%c,p%d.%dxlarge,%d.%06d,Linux/UNIX\n",
		"quoted": "\"%s\",\"us-east-1%c\",\"p%d.%dxlarge\",%d.%06d,Linux/UNIX\n",
	} {
		b.Run(name, func(b *testing.B) {
			benchmarkFile(b, pricesTable(b, row), func(path string) error {
				_, _, err := formats.Import("prices-csv", []string{path}, traces.Options{})
				return err
			})
		})
	}
}

// pricesTable writes a table of 50 MB: 100 pools that change in turn.
func pricesTable(b *testing.B, row string) string {
	var text strings.Builder
	text.WriteString("timestamp,zone,instance_type,price,product\n")
	at := int64(1_500_000_000_000_000)
	for i := 0; text.Len() < 50_000_000; i++ {
		at += 1_000_000 * int64(1+i%7)
		fmt.Fprintf(&text, row, traces.Stamp(at), 'a'+rune(i%5), 2+i%4, 1+i/4%5, i%30, i*7919%1_000_000)
	}
	path := filepath.Join(b.TempDir(), "prices.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		b.Fatal(err)
	}
	return path
}
