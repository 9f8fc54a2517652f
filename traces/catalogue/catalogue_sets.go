package catalogue

import (
	"time"

	"github.com/marigram/marigram/traces"
)

// Commits of repositories that several entries come from.
const (
	skynomad       = "andylizf/skynomad-artifact"
	skynomadCommit = "62b9aaa1942e30c40cb9f6f5d7d03d6823d1d1f7"
	dime           = "stanford-futuredata/training_on_a_dime"
	dimeCommit     = "85f659572ff9da2701e5f309fbad7e828e6be46b"
	bamboo         = "uclasystem/bamboo"
	bambooCommit   = "80809293289419d40a870b4a9ccb8df0082ce3fb"
	parcae         = "JF-D/Parcae"
	parcaeCommit   = "efedee7e069d795cbfd6b7667312bdc12f31eb8f"
	oobleck        = "SymbioticLab/Oobleck"
	oobleckCommit  = "796655600207cfb59fae5804740ff720f7428fc5"
	gavel          = "stanford-futuredata/gavel"
	gavelCommit    = "c4fa40097339e9608ab71fd64c8bdea96a5e4a4c"
)

// catalogue describes the public data sets; their files are in catalogue.sums.
var catalogue = []Entry{
	{
		Name: "skynomad-gcp-h100-probes", What: "launch probes, up to 16 machines of one H100, 13 zones", Cloud: "gcp",
		Span: "2025-10-04 to 10-18, every 10 min", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note: "data/h100_16_runs/*.json, 2,104 files, 58 MB",
	},
	{
		Name: "skynomad-aws-v100-availability", What: "launch probes of one p3.2xlarge: 0 or 1, 6 zones", Cloud: "aws",
		Span: "2023-02-15 to 04-02, every 195 s", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "no checksum is known of three more zones (us-east-1d, us-east-2b, us-west-2b); the clock's zone is not stated; also in skypilot-spot-traces",
		format: "availability-csv",
		folder: "skynomad-aws-v100-availability", moved: []moved{{"data/real/availability/2023-02-15/processed/", ""}},
	},
	{
		Name: "skynomad-aws-v100-prices", What: "spot prices of p3.2xlarge at the ticks of skynomad-aws-v100-availability, 3 zones", Cloud: "aws",
		Span: "2023-02-15 to 04-02, every 195 s", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "no checksum is known of data/v100_spot_prices.json, which has all nine zones",
		folder: "skynomad-aws-v100-prices", moved: []moved{{"data/", ""}},
	},
	{
		Name: "skynomad-aws-v100-16node", What: "p3.2xlarge that could be launched, up to 16, us-east-2b", Cloud: "aws",
		Span: "from 2023-08-27, every 300 s as written", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "no checksum is known of the other two zones; also in skypilot-spot-traces",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsLaunchProbe, Cap: 16},
		folder: "skynomad-aws-v100-multinode", moved: []moved{{"data/", ""}},
	},
	{
		Name: "skynomad-aws-v100-4node", What: "p3.2xlarge held, of 4 wanted, 3 zones", Cloud: "aws",
		Span: "from 2023-08-03, every 300 s as written", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "the zones' files do not begin together, and the ticks are rather 183 s: take the zones as independent; also in skypilot-spot-traces",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cap: 4},
		folder: "skynomad-aws-v100-multinode", moved: []moved{{"data/", ""}},
	},
	{
		Name: "skynomad-aws-v100-4node-aligned", What: "the cut of skynomad-aws-v100-4node whose zones were put side by side by its authors", Cloud: "aws",
		Span: "3,156 ticks of 300 s as written", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "the alignment is its authors'",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cap: 4,
			Offsets: map[string]time.Duration{"us-east-1f_v100_1": 0, "us-east-2a_v100_1": 0, "us-west-2c_v100_1": 0}},
		folder: "skynomad-aws-v100-multinode", moved: []moved{{"data/", ""}},
	},
	{
		Name: "skypilot-spot-traces", What: "availability, launch probes and held machines of V100, K80 and CPU types, 7 sets", Cloud: "aws, gcp",
		Span: "2022-10 to 2023-09, every 30 to 600 s", Repo: "skypilot-org/spot-traces", Commit: "221da1ab9bdfe7966da296265d7694d52dc0c5a6",
	},
	{
		Name: "spothedge-gcp-a100", What: "machines of eight A100-40GB held, up to 4, 6 zones", Cloud: "gcp",
		Span: "32 h, every 150 s", Repo: "MaoZiming/spothedge_ae", Commit: "df02263c3c24e598bed93486b79feafdac49bf20",
	},
	{
		Name: "dime-aws-spot-prices", What: "spot prices of p2 and p3 types, 57 pools in 6 regions", Cloud: "aws",
		Span: "2019-12-22 to 2020-03-23, on change and daily", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "one page was cut (us-east-1, p2.xlarge); no checksum is known of three more regions",
		format: "aws-spot-price", options: traces.Options{AllowTruncated: true},
		folder: "dime-aws-spot-prices", moved: []moved{{"logs/aws/", ""}},
	},
	{
		Name: "dime-aws-availability", What: "lifetimes of V100 and K80 machines, 1 and 8 GPUs, 2 zones", Cloud: "aws",
		Span: "53.5 h from 2020-03-15, every 10 min", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "local time of the collector, written as if it were UTC",
		folder: "dime-availability-logs", moved: []moved{{"logs/aws/availability/", "aws_availability/"}},
	},
	{
		Name: "dime-gcp-availability", What: "lifetimes of V100, P100 and K80 machines of one GPU, 9 slots in 3 zones", Cloud: "gcp",
		Span: "68.8 h from 2020-03-01, every 12 min", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "local time of the collector, written as if it were UTC; no checksum is known of the second log (8 GPUs, 03-04)",
		folder: "dime-availability-logs", moved: []moved{{"logs/gcp/", "gcp/"}},
	},
	{
		Name: "dime-gcp-launches", What: "machines that could be launched, 5 zones, 3 GPU types, 1 to 8 GPUs; successes only", Cloud: "gcp",
		Span: "2020-02-26 to 02-29, every 5 h", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "no checksum is known of 13 later rounds; an absent type may never have been offered",
		folder: "dime-availability-logs", moved: []moved{{"logs/gcp/", "gcp/"}},
	},
	{
		Name: "dime-azure-prices", What: "spot prices of 12 NC sizes, 2 regions", Cloud: "azure",
		Span: "2020-02-24 to 03-23, daily", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "typed by hand; no checksum is known of the third region, which has one slip",
		folder: "dime-azure-prices", moved: []moved{{"logs/azure/cost/", ""}},
	},
	{
		Name: "bamboo-aws-p3", What: "p3 machines appearing and disappearing in an autoscaled pool of up to 32", Cloud: "aws",
		Span: "11.4 h, 60-s clock", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:   "the pool's target is not recorded: a rise is the launcher's delay",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws"},
		folder: "bamboo-preemption-traces", moved: []moved{{"traces/", ""}},
	},
	{
		Name: "bamboo-aws-g4dn", What: "g4dn.xlarge machines appearing and disappearing in an autoscaled pool of up to 24", Cloud: "aws",
		Span: "10.6 h, 60-s clock", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note: "traces/g4dn-trace.csv",
	},
	{
		Name: "bamboo-aws-2020", What: "g4dn.xlarge and p2.xlarge machines of autoscaled pools of up to 12 and 16, 2 zones", Cloud: "aws",
		Span: "2020-11-20 to 11-24, about 20 h each, on change", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:    "the end of the observation is only in the file name, and disagrees; two files without an event are left out, and of three more no checksum is known",
		format:  "step-counts",
		options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws", Unit: time.Second},
		folder:  "bamboo-preemption-traces", moved: []moved{{"doc/data/", "doc_data/"}},
	},
	{
		Name: "bamboo-gcp-v100", What: "V100 machines of an autoscaled pool of up to 80, us-east1-c", Cloud: "gcp",
		Span: "24.2 h from 2021-12-10, every minute", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:   "15 rows go back in time: sorted, the later row of an instant holds",
		format: "step-counts", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "gcp", Zone: "us-east1-c", GPU: "V100", GPUs: 1, Disorder: traces.SortLastWins},
		folder: "bamboo-preemption-traces", moved: []moved{{"traces/", ""}},
	},
	{
		Name: "bamboo-gcp-a100", What: "A100 machines of an autoscaled pool of up to 64, us-east1-b", Cloud: "gcp",
		Span: "27 h from 2021-12, every 100 s", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note: "traces/gcloud/a100x1-east1b.txt",
	},
	{
		Name: "parcae-aws-p3", What: "bamboo-aws-p3 as a running count", Cloud: "aws",
		Span: "11.4 h, 60-s clock", Repo: parcae, Commit: parcaeCommit, Licence: "MIT",
		Note:    "the same observation as bamboo-aws-p3: count it once",
		format:  "step-counts",
		options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws", Unit: time.Millisecond},
		folder:  "parcae-traces", moved: []moved{{"aws/traces/", ""}},
	},
	{
		Name: "parcae-segments", What: "four hours cut from bamboo-aws-p3 (BERT runs)", Cloud: "aws",
		Span: "4 x 1 h, 60-s clock", Repo: parcae, Commit: parcaeCommit, Licence: "MIT",
		Note:    "cut from bamboo-aws-p3, mixed with Parcae's own decisions, which are not imported; other models have the same hours",
		format:  "node-events",
		options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws"},
		folder:  "parcae-traces", moved: []moved{{"aws/traces/", "segments/"}},
	},
	{
		Name: "spotserve-traces", What: "bamboo-aws-g4dn, and minutes cut from it and edited", Cloud: "aws",
		Span: "10.6 h", Repo: "Hsword/SpotServe", Commit: "832b29f7", Licence: "Apache-2.0",
		Note: "the same observation as bamboo-aws-g4dn",
	},
	{
		Name: "oobleck-synthetic", What: "30 machines of which 15 are taken, one every 5 min to 6 h", Cloud: "synthetic",
		Span: "six files, fixed periods", Repo: oobleck, Commit: oobleckCommit, Licence: "MIT",
		Note:   "generated, not observed",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsSynthetic, Cloud: "synthetic"},
		folder: "oobleck-sim-traces", moved: []moved{{"tools/simulator/traces/", ""}},
	},
	{
		Name: "oobleck-scaled-p3", What: "bamboo-aws-p3 scaled by its users", Cloud: "synthetic",
		Span: "11.4 h, 60-s clock", Repo: oobleck, Commit: oobleckCommit, Licence: "MIT",
		Note:   "edited, not observed",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsSynthetic, Cloud: "synthetic"},
		folder: "oobleck-sim-traces", moved: []moved{{"tools/simulator/traces/", ""}},
	},
	{
		Name: "goog-preemption-lifetimes", What: "lifetimes of 1,442 preemptible CPU machines, half of them censored, 6 zones", Cloud: "gcp",
		Span: "2019-02-18 to 04-07, exact to 1 ms", Repo: "kadupitiya/goog-preemption-data", Commit: "b22f181e1edb9000dceea40eda5890622cdfdd87", Licence: "Apache-2.0",
		Note: "data/data.json, 2.6 MB; it names a person, which an import leaves out",
	},
	{
		Name: "cakelab-gcp-gpu-lifetimes", What: "lifetimes of 565 preemptible K80, P100 and V100 machines, 152 of them dated", Cloud: "gcp",
		Span: "2018-05 to 2019-02, to 1 min", Repo: "cake-lab/transient-deep-learning", Commit: "87c6717e4026801623cf0327e78ad57f51cb1461", Licence: "Apache-2.0",
		Note: "data/lifetime/lifetime.csv, 20 kB",
	},
	{
		Name: "cyclenerd-gcp-spot-prices", What: "list prices on demand and spot of a2, a3 and g2 types", Cloud: "gcp",
		Span: "2023-05-08 to 2026-07-30, about weekly", Repo: "Cyclenerd/google-cloud-pricing-cost-calculator", Commit: "dac31281f2a4575f0a8bff20ac04fc71a5ff2190", Licence: "Apache-2.0",
		Note: "the history of pricing.yml over 294 commits, not one file",
	},
	{
		Name: "aws-spot-advisor-snapshots", What: "bands of monthly interruption rates and savings, all types, 21 to 33 regions", Cloud: "aws",
		Span: "3 snapshots, 2021, 2024 and 2025", Repo: "alexei-led/spotinfo", Commit: "05e93313", Licence: "Apache-2.0",
		Note: "one more at commit 364abc36, and one in ETOgaosion/bamboo at fe8d0507 (MIT)",
	},
	{
		Name: "aws-bidding-era-g2", What: "spot prices of g2 types while bids still decided, us-east-1", Cloud: "aws",
		Span: "2015-03 to 2016-04, on change", Repo: "prateek-s/spot-price-model", Commit: "6f09f3de",
		Note: "and hshazly/Amazon-Spot-Price-Estimator at 4c1215fa; Python pickles, which are not opened",
	},
	{
		Name: "neocloud-gpu-price-tracker", What: "offers of H100 and other GPUs by small clouds; not a spot market", Cloud: "others",
		Span: "2025-10-19 to 11-16, every 30 min", Repo: "tugot17/gpu-price-tracker", Commit: "718a831c", Licence: "MIT",
	},
	{
		Name: "sia-job-traces", What: "82,247 jobs of Philly and Helios clusters, and 28 workloads made of them", Cloud: "none",
		Span: "2017-09-04 to 12-22", Repo: "siasosp23/artifacts", Commit: "aaf7a0de",
		Note: "the Philly part is CC-BY-4.0 at its own home",
	},
	{
		Name: "gavel-jobs-103959", What: "jobs drawn from one virtual cluster of the Philly log", Cloud: "none",
		Span: "seed 0", Repo: gavel, Commit: gavelCommit, Licence: "MIT",
		folder: "gavel-job-traces", moved: []moved{{"scheduler/traces/msr/seed=0/", "msr_seed0/"}},
	},
	{
		Name: "gavel-jobs-23dbec", What: "jobs drawn from one virtual cluster of the Philly log", Cloud: "none",
		Span: "seed 0", Repo: gavel, Commit: gavelCommit, Licence: "MIT",
		folder: "gavel-job-traces", moved: []moved{{"scheduler/traces/msr/seed=0/", "msr_seed0/"}},
	},
	{
		Name: "gavel-jobs-physical", What: "jobs of the experiment on a real cluster", Cloud: "none",
		Span: "13 h", Repo: gavel, Commit: gavelCommit, Licence: "MIT",
		folder: "gavel-job-traces", moved: []moved{{"scheduler/traces/", ""}},
	},
	{
		Name: "alibaba-v2026-spot-gpu", What: "4,278 nodes with 10,412 GPUs under a scheduler of spot jobs; the table of jobs is missing", Cloud: "alibaba",
		Span: "-", Repo: "alibaba/clusterdata", Commit: "7a6c496e",
		Note: "cluster-trace-v2026-spot-gpu; no licence is stated for the folder",
	},
}
