package objectstore

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const duckdb = "@duckdb/node-api@1.5.6-r.1"

// query prints the rows of the last of some statements.
const query = `import { DuckDBInstance } from '@duckdb/node-api';
const c = await (await DuckDBInstance.create(':memory:')).connect();
let rows;
for (const q of process.argv.slice(2)) rows = (await c.runAndReadAll(q)).getRowObjectsJson();
console.log(JSON.stringify(rows));
`

// DuckDB reads the chunks from the bucket, by its extension httpfs; that they are plain
// Parquet it shows on the server's own files, also where the extension cannot be had.
func TestDuckDB(t *testing.T) {
	p := newPlace(t)
	manifest := installed(t, "duckdb", "node_modules/@duckdb/node-api/package.json", func(dir string) *exec.Cmd {
		return exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--prefix", dir, duckdb)
	})
	script := filepath.Join(manifest, "../../../../query-"+filepath.Base(p.dir)+".mjs") // beside the modules that it imports
	if err := os.WriteFile(script, []byte(query), 0o644); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.Remove(script) })
	ask := func(statements ...string) (string, error) {
		cmd := exec.Command("node", append([]string{script}, statements...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, strings.ReplaceAll(stderr.String(), secret, "..."))
		}
		return strings.TrimSpace(string(out)), err
	}
	s := startServer(t)
	env, out := environment(s.url(), secret), "s3://"+bucket+"/duck"
	p.must(env, "sweep", "notice.yaml", "--seeds", "10", "--out", out)
	const count = "SELECT count(*)::int AS runs, count(DISTINCT policy)::int AS policies FROM read_parquet('%s/plan=*/part-*.parquet')"
	const want = `[{"runs":160,"policies":4}]` // 2 cells, 2 objectives, 4 policies, 10 seeds
	if got, err := ask(fmt.Sprintf(count, filepath.Join(s.dir, bucket, "duck"))); err != nil || got != want {
		t.Errorf("the server's files: %s, %v, want %s", got, err, want)
	}
	if _, err := ask("INSTALL httpfs", "LOAD httpfs"); err != nil {
		t.Skip("DuckDB's extension httpfs cannot be had:", err)
	}
	as := fmt.Sprintf("CREATE SECRET (TYPE s3, KEY_ID '%s', SECRET '%s', ENDPOINT '%s', URL_STYLE 'path', USE_SSL false, REGION 'us-east-1')", access,
		secret, s.addr)
	if got, err := ask("LOAD httpfs", as, fmt.Sprintf(count, out)); err != nil || got != want {
		t.Errorf("by httpfs: %s, %v, want %s", got, err, want)
	}
}
