// DuckDB's side of the scan; duckdb.go runs it: scan.mjs FILE TIMES
import { DuckDBInstance, version } from '@duckdb/node-api';
const [file, times] = process.argv.slice(2);
const c = await (await DuckDBInstance.create(':memory:')).connect();
await c.run('SET threads = 1');
const sql = `SELECT pool_id::bigint AS pool, count(*) AS n, sum(price_nanousd_per_hour)::bigint AS nano, epoch_us(max(t)) AS last
  FROM '${file}' GROUP BY pool_id ORDER BY pool_id`;
let rows;
for (let i = 0; i < Number(times); i++) rows = (await c.runAndReadAll(sql)).getRowsJson();
console.log(JSON.stringify({ version: version(), rows: rows.map((r) => r.map(Number)) }));
