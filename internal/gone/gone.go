// Package gone answers for what this release no longer has: commands, flags, keys of specs, formats and policies that
// earlier ones had. It is the only place of such answers; a line of it leaves with the release after this one.
package gone

// What several of the answers say.
const (
	pricesCSV         = "CSV with timestamp, zone, instance_type, price (prices-csv)"
	jobsCSV           = "CSV with job_id, submit_s, gpus, duration_s (jobs-minimal)"
	noSharedInstances = "jobs share no instances; starburst and deadline-spot rent GPUs"
	noSharedGPUs      = "jobs share no GPUs; gavel gives out whole GPUs"
	notSigned         = "sets are folders (judge --set FOLDER), and results are not signed"
	compareRuns       = "run the spec with the change (marigram run SPEC -s PATH=VALUE) " +
		"and without it, and compare both (marigram compare)"
)

// instead has a sentence for each name that is gone. A key is what the thing is called in errors, and its name.
var instead = map[string]string{
	"command mcp": "marigram mcp is gone: give an agent a shell, the commands with --json, and docs/README.md, " +
		"which lists the pages",
	"command traces fit": "marigram traces fit is gone: market.synthetic draws markets like the published traces, " +
		"and replay: {adapter: lifetime_resample} draws from recorded lifetimes",
	"command traces synth": "marigram traces synth is gone: market.synthetic of a spec draws a market for every seed " +
		"(docs/specs.md)",
	"command traces fit-jobs": "marigram traces fit-jobs is gone: jobs.trace replays the log itself, " +
		"and jobs.synthetic.rhythm draws jobs by numbers of your own",
	"key file": "jobs.synthetic.file is gone: jobs.trace replays a log itself, " +
		"and jobs.synthetic.rhythm has the numbers of the generator",
	"key quantiles_s": "quantiles_s is gone: median_s, sigma and tail_index say how long generated jobs last, " +
		"and jobs.trace replays a log itself",
	"command plan sharing": "marigram plan sharing is gone: marigram reproduce defection has its rounds and " +
		"simulated waits, by the specs of papers/defection",
	"command plan out-of-core": "marigram plan out-of-core is gone: " +
		"marigram reproduce out-of-core has the closed forms",
	"command plan parcae": "marigram plan parcae is gone: advise says what parcae would do now, " +
		"and marigram reproduce parcae has its decisions",
	"command plan spotdnn": "marigram plan spotdnn is gone: advise says what spotdnn would do now, " +
		"and marigram reproduce spotdnn has its plans",
	"command forecast": "marigram forecast is gone: forecast.Backtest (package policies/forecast) tries forecasters " +
		"on counts, and marigram reproduce parcae/forecast has their errors",
	"command traces export": "marigram traces export is gone: marigram traces import writes Parquet tables, " +
		"which DuckDB and pandas turn into any other",
	"command calibrate stalls": "marigram calibrate stalls is gone: marigram calibrate summary FOLDER says it of a " +
		"folder of the profiler; of other runs it is the difference from one to the next",
	"command plot compression": "marigram plot compression is gone: " +
		"marigram reproduce compression has the shapes as numbers",
	"command plot learning": "marigram plot learning is gone: learn.py prints a table with a row a round, " +
		"which any program draws (pandas: DataFrame.plot(x='round', y='reward'))",
	"flag worth": "marigram tune --worth is gone: " + compareRuns,
	"flag value": "marigram tune --value is gone: " + compareRuns,
	"tune range": "ranges of numbers in marigram tune are gone: name the values to try, " +
		"such as policy.patience_s=30,120,600",
	"command judge keys": "marigram judge keys is gone: " + notSigned,
	"command judge seal": "marigram judge seal is gone: a set that others must not read is a folder that only you " +
		"have (judge --set FOLDER --sandbox)",
	"command judge verify": "marigram judge verify is gone: results are not signed; run the judge again, " +
		"the same inputs give the same bytes",
	"flag key":        "marigram judge --key is gone: " + notSigned,
	"flag unconfined": "marigram judge --unconfined is gone: without --sandbox programs run with your rights",
	"flag memory":     "marigram judge --memory is gone: ulimit -v or a container bounds the memory (docs/protocol.md)",
	"flag live": "marigram report --live is gone: marigram run SPEC -s PATH=VALUE answers for another setting, " +
		"and make -C tools site writes the page Try",
	"key wasm": "WebAssembly modules as policies are gone: a policy of your own is a program (command: [python3, " +
		"mine.py]), in any language (docs/protocol.md)",
	"key format": "other forms of the messages are gone: every message is a JSON object on a line, " +
		"and \"many\" decisions go into one; write marigram.py anew with marigram policies new",
	"policies new .c": "a beginning in C is gone: write a program that reads and writes JSON lines (docs/protocol.md)",
	"policies new .go": "a beginning in Go for WebAssembly is gone: " +
		"write a policy in Go as a library (docs/library.md)",
	"format spot-advisor": "the format spot-advisor is gone: marigram imports no bands of interruptions; " +
		"capacity: {typical: band} assumes preemptions",
	"format aws-spot-archive": "the format aws-spot-archive is gone: write its lines as " + pricesCSV,
	"format azure-graph": "the format azure-graph is gone: ask the Retail Prices API (azure-retail), " +
		"or write " + pricesCSV,
	"format gcp-capacity-history": "the format gcp-capacity-history is gone: write its prices as " + pricesCSV,
	"format aws-spot-feed": "the format aws-spot-feed is gone: AWS gives it to no new account; " +
		"a cost and usage report (aws-cost-report) has the charges",
	"format helios-jobs":   "the format helios-jobs is gone: write the jobs as " + jobsCSV,
	"format acme-jobs":     "the format acme-jobs is gone: write the jobs as " + jobsCSV,
	"format pai-jobs":      "the format pai-jobs is gone: write the jobs as " + jobsCSV,
	"format openb-pods":    "the format openb-pods is gone: write the pods as " + jobsCSV,
	"format spot-gpu-jobs": "the format spot-gpu-jobs is gone: write the jobs as " + jobsCSV,
	"object store gs": "gs:// is gone: reach Google's buckets by S3's protocol, " +
		"as s3://BUCKET/NAME with AWS_ENDPOINT_URL_S3=https://storage.googleapis.com (docs/sweeps.md)",
	"object store azblob": "azblob:// is gone: " +
		"mount the container (blobfuse2), and name the folder (docs/sweeps.md)",
	"policy rollout":               "the policy rollout is gone: mdp takes its place, in a tenth of the time",
	"policy eva":                   "the policy eva is gone: " + noSharedInstances,
	"policy eva-partial":           "the policy eva-partial is gone: " + noSharedInstances,
	"policy instance-per-task":     "the policy instance-per-task is gone: " + noSharedInstances,
	"policy eva-like":              "the policy eva-like is gone: " + noSharedInstances,
	"policy no-packing":            "the policy no-packing is gone: " + noSharedInstances,
	"policy gandiva":               "the policy gandiva is gone: " + noSharedGPUs,
	"policy gavel-packed":          "the policy gavel-packed is gone: " + noSharedGPUs,
	"policy gavel-fifo-packed":     "the policy gavel-fifo-packed is gone: " + noSharedGPUs,
	"policy gavel-ftf-packed":      "the policy gavel-ftf-packed is gone: " + noSharedGPUs,
	"policy gavel-makespan-packed": "the policy gavel-makespan-packed is gone: " + noSharedGPUs,
	"key out_of_core": "out_of_core is gone: give the speed that the instance type has with its disk; " +
		"marigram reproduce out-of-core has the closed forms",
	"key compression": "compression is gone: give speeds that were measured with it; " +
		"marigram reproduce compression has formulas",
	"key of_kinds": "jobs.of_kinds is gone: " +
		"jobs.synthetic generates jobs, or jobs.trace names a file of them",
	"key tasks": "model.gang.tasks is gone: " +
		"jobs share no instances; market.servers and market.pools have whole GPUs",
	"key pairs":         "model.gang.pairs is gone: jobs share no GPUs; without it every job has its own",
	"key histories":     "histories is gone: write traces",
	"key history":       "history is gone: write trace",
	"key life":          "life is gone: write lifetime",
	"key law":           "law is gone: write distribution",
	"key spread":        "spread is gone: write sigma",
	"key relay_s":       "relay_s is gone: write reconfigure_s",
	"key least":         "least is gone: write min",
	"key most":          "most is gone: write max",
	"key least_slack_s": "least_slack_s is gone: write min_slack_s",
	"key most_slack_s":  "most_slack_s is gone: write max_slack_s",
	"flag least":        "--least is gone: write --min",
	"flag most":         "--most is gone: write --max, or --max-runs in marigram tune",
	"report .pdf":       "a report as PDF is gone: write .html, and print the page from a browser",
}

// Instead returns the sentence that says what to use in place of a name, "" where the name is none that is gone. What
// is the kind of the name as errors call it: "command", "flag", "key", "trace format", "policy".
func Instead(what, name string) string { return instead[what+" "+name] }
