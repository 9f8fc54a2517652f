// Runs SQL statements given as arguments in DuckDB and prints the rows of each as a line of JSON.
import { DuckDBInstance } from '@duckdb/node-api';
const db = await DuckDBInstance.create(':memory:');
const c = await db.connect();
for (const q of process.argv.slice(2)) {
  const r = await c.runAndReadAll(q);
  console.log(JSON.stringify(r.getRowObjectsJson()));
}
