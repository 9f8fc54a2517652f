package catalogue

import (
	"time"

	"github.com/marigram/marigram/traces"
)

// Commits of repositories that several entries come from.
const (
	skynomad        = "andylizf/skynomad-artifact"
	skynomadCommit  = "62b9aaa1942e30c40cb9f6f5d7d03d6823d1d1f7"
	dime            = "stanford-futuredata/training_on_a_dime"
	dimeCommit      = "85f659572ff9da2701e5f309fbad7e828e6be46b"
	bamboo          = "uclasystem/bamboo"
	bambooCommit    = "80809293289419d40a870b4a9ccb8df0082ce3fb"
	parcae          = "JF-D/Parcae"
	parcaeCommit    = "efedee7e069d795cbfd6b7667312bdc12f31eb8f"
	oobleck         = "SymbioticLab/Oobleck"
	oobleckCommit   = "796655600207cfb59fae5804740ff720f7428fc5"
	gavel           = "stanford-futuredata/gavel"
	skypilot        = "skypilot-org/spot-traces"
	skypilotCommit  = "221da1ab9bdfe7966da296265d7694d52dc0c5a6"
	spotserve       = "Hsword/SpotServe"
	spotserveCommit = "832b29f722df14158b26459b5ce2a0e2e4a5b7c4"
	alibaba         = "alibaba/clusterdata"
	alibabaCommit   = "7a6c496e4f4b6ce6150be8f881cb051bf2abff42"
	gavelCommit     = "c4fa40097339e9608ab71fd64c8bdea96a5e4a4c"
)

// catalogue describes the public data sets; their files are in catalogue.sums.
var catalogue = []Entry{
	{
		Name: "skynomad-gcp-h100-probes", What: "launch probes, up to 16 machines of one H100, 13 zones", Cloud: "gcp",
		Use:  "capacity and preemptions of H100 on demand for 16 machines, partial losses, moves between zones and regions",
		Span: "2025-10-04 to 10-18, every 10 min", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "2,104 files, one a round",
		format: "skynomad-probes", options: traces.Options{InstanceType: "a3-highgpu-1g", GPU: "H100", GPUs: 1},
	},
	{
		Name: "skynomad-gcp-spot-prices", What: "spot prices of a3-highgpu-8g by part, 8 regions", Cloud: "gcp",
		Use:  "the price of one GPU of skynomad-gcp-h100-probes",
		Span: "2025-10-23, once", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Kept: "a price list at one instant; its sum is of another machine's shape",
	},
	{
		Name: "skynomad-aws-v100-availability", What: "launch probes of one p3.2xlarge: 0 or 1, 6 zones", Cloud: "aws",
		Use:  "zones that come and go together; policies for one machine and for deadlines",
		Span: "2023-02-15 to 04-02, every 195 s", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "skynomad-aws-v100-availability-all has three more zones; the clock's zone is not stated; also in skypilot-aws-v100-2023-02",
		format: "availability-csv",
		folder: "skynomad-aws-v100-availability", moved: []moved{{"data/real/availability/2023-02-15/processed/", ""}},
	},
	{
		Name: "skynomad-aws-v100-availability-all", What: "launch probes of one p3.2xlarge: 0 or 1, 9 zones", Cloud: "aws",
		Use:  "as skynomad-aws-v100-availability, with all zones that were observed",
		Span: "2023-02-15 to 04-02, every 195 s", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "the clock's zone is not stated; also skypilot-aws-v100-2023-02",
		format: "availability-csv",
	},
	{
		Name: "skynomad-aws-v100", What: "launch probes of one p3.2xlarge, 0 or 1, and its spot prices at the same ticks, 3 zones", Cloud: "aws",
		Use:  "the one public history with capacity and prices of the same machines; zones of three regions",
		Span: "2023-02-15 to 04-02, every 195 s", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "skynomad-aws-v100-availability and skynomad-aws-v100-prices, joined tick by tick; the clock's zone is not stated",
		format: "availability-csv", options: traces.Options{PriceArrays: "v100_1node_prices"}, prices: "data/v100_1node_prices/",
		moved: []moved{{"data/real/availability/2023-02-15/processed/", "skynomad-aws-v100-availability/"}, {"data/", "skynomad-aws-v100-prices/"}},
	},
	{
		Name: "skynomad-aws-v100-prices", What: "spot prices of p3.2xlarge at the ticks of skynomad-aws-v100-availability, 3 zones", Cloud: "aws",
		Use:  "prices that go with skynomad-aws-v100-availability",
		Span: "2023-02-15 to 04-02, every 195 s", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "skynomad-aws-v100-prices-all has all nine zones",
		folder: "skynomad-aws-v100-prices", moved: []moved{{"data/", ""}},
	},
	{
		Name: "skynomad-aws-v100-prices-all", What: "spot prices of p3.2xlarge at the ticks of skynomad-aws-v100-availability-all, 9 zones", Cloud: "aws",
		Use:  "prices that go with the availability",
		Span: "2023-02-15 to 04-02, every 195 s", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Kept: "arrays by zone without times: value i belongs to row i of the availability",
	},
	{
		Name: "skynomad-aws-v100-16node", What: "p3.2xlarge that could be launched, up to 16, us-east-2b", Cloud: "aws",
		Use:  "losses of many machines at once",
		Span: "from 2023-08-27, every 300 s as written", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "skynomad-aws-v100-16node-all has two more zones; also in skypilot-aws-v100-16node",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsLaunchProbe, Cap: 16},
		folder: "skynomad-aws-v100-multinode", moved: []moved{{"data/", ""}},
	},
	{
		Name: "skynomad-aws-v100-16node-all", What: "p3.2xlarge that could be launched, up to 16, 3 zones", Cloud: "aws",
		Use:  "losses of many machines at once",
		Span: "from 2023-08-27, every 300 s as written", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "the zones do not begin together; also skypilot-aws-v100-16node",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsLaunchProbe, Cloud: "aws", Cap: 16},
	},
	{
		Name: "skynomad-aws-v100-4node", What: "p3.2xlarge held, of 4 wanted, 3 zones", Cloud: "aws",
		Use:  "preemptions of machines that ran",
		Span: "from 2023-08-03, every 300 s as written", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "the zones' files do not begin together, and the ticks are rather 183 s: take the zones as independent; also in skypilot-aws-v100-4node",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cap: 4},
		folder: "skynomad-aws-v100-multinode", moved: []moved{{"data/", ""}},
	},
	{
		Name: "skynomad-aws-v100-4node-aligned", What: "the cut of skynomad-aws-v100-4node whose zones were put side by side by its authors", Cloud: "aws",
		Use:  "moves between zones, with machines that ran",
		Span: "3,156 ticks of 300 s as written", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Note:   "the alignment is its authors'",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cap: 4,
			Offsets: map[string]time.Duration{"us-east-1f_v100_1": 0, "us-east-2a_v100_1": 0, "us-west-2c_v100_1": 0}},
		folder: "skynomad-aws-v100-multinode", moved: []moved{{"data/", ""}},
	},
	{
		Name: "skynomad-aws-v100-4node-600s", What: "skynomad-aws-v100-4node-aligned as its authors simulate it, with prices, 3 zones", Cloud: "aws",
		Use:  "comparison with SkyNomad",
		Span: "ticks of 600 s", Repo: skynomad, Commit: skynomadCommit, Licence: "Apache-2.0",
		Kept: "converted by its authors: a 1 means preempted, and how counts became zeros and ones is not said",
	},
	{
		Name: "skypilot-aws-2022-10", What: "launch probes of one machine with 1 or 8 K80 or V100, 8 pools in 2 zones", Cloud: "aws",
		Use:  "one machine against deadlines, by GPU type and size",
		Span: "from 2022-10-26, every 600 s", Repo: skypilot, Commit: skypilotCommit,
		Note:   "us-west-2b K80 is 0 for its last 340 h: the collector may have failed",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsBinaryZone, Cloud: "aws", Cap: 1},
	},
	{
		Name: "skypilot-aws-v100-2023-02", What: "launch probes of one p3.2xlarge: 0 or 1, 9 zones", Cloud: "aws",
		Use:  "the deadline policies of Can't Be Late",
		Span: "from 2023-02-15, every 195 s as written", Repo: skypilot, Commit: skypilotCommit,
		Note:   "the observation of skynomad-aws-v100-availability-all, whose clock is better",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsBinaryZone, Cloud: "aws", Cap: 1},
	},
	{
		Name: "skypilot-aws-v100-16node", What: "p3.2xlarge that could be launched, up to 16, 3 zones", Cloud: "aws",
		Use:  "losses of many machines at once",
		Span: "from 2023-08-27, every 300 s as written", Repo: skypilot, Commit: skypilotCommit,
		Note:   "the zones do not begin together; also skynomad-aws-v100-16node-all",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsLaunchProbe, Cloud: "aws", Cap: 16},
	},
	{
		Name: "skypilot-aws-v100-4node", What: "p3.2xlarge held, of 4 wanted, 3 zones", Cloud: "aws",
		Use:  "preemptions of machines that ran",
		Span: "from 2023-08-03, every 300 s as written", Repo: skypilot, Commit: skypilotCommit,
		Note:   "the observation of skynomad-aws-v100-4node; the zones do not begin together",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cloud: "aws", Cap: 4},
	},
	{
		Name: "skypilot-aws-v100-2023-04", What: "one p3.2xlarge held, 4 zones", Cloud: "aws",
		Use:  "preemptions of single machines",
		Span: "7 d from 2023-04-22", Repo: skypilot, Commit: skypilotCommit,
		Note:   "the prices in three files are 0.918 throughout: placeholders",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cloud: "aws", Cap: 1},
	},
	{
		Name: "skypilot-aws-cpu-2023-04", What: "one r5.16xlarge held, 3 zones", Cloud: "aws",
		Use:  "preemptions of CPU machines, with prices",
		Span: "7 d from 2023-04-19", Repo: skypilot, Commit: skypilotCommit,
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cloud: "aws", Cap: 1},
	},
	{
		Name: "skypilot-gcp-cpu-2023-04", What: "one c3-highcpu-88 held, 4 zones", Cloud: "gcp",
		Use:  "little: three preemptions in all",
		Span: "2 d from 2023-04-30", Repo: skypilot, Commit: skypilotCommit,
		Note:   "three of the four files are the same",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cloud: "gcp", Cap: 1},
	},
	{
		Name: "spothedge-gcp-a100", What: "machines of eight A100-40GB held, up to 4, 6 zones", Cloud: "gcp",
		Use:  "large machines in six zones; short",
		Span: "32 h, every 150 s", Repo: "MaoZiming/spothedge_ae", Commit: "df02263c3c24e598bed93486b79feafdac49bf20",
		Note:   "us-east1-b is always 0; neither length nor type agree with its README",
		format: "counts-json", options: traces.Options{Polarity: traces.OneIsAvailable, Semantics: traces.SemanticsHeld, Cloud: "gcp", Cap: 4},
	},
	{
		Name: "dime-aws-spot-prices", What: "spot prices of p2 and p3 types, 98 pools in 9 regions", Cloud: "aws",
		Use:  "prices of AWS; the only unmodified exports of GPU types with a licence",
		Span: "2019-12-22 to 2020-03-23, on change and daily", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "one page was cut (us-east-1, p2.xlarge)",
		format: "aws-spot-price", options: traces.Options{AllowTruncated: true},
		folder: "dime-aws-spot-prices", moved: []moved{{"logs/aws/", ""}},
	},
	{
		Name: "dime-aws-availability", What: "lifetimes of V100 and K80 machines, 1 and 8 GPUs, 2 zones", Cloud: "aws",
		Use:  "lifetimes by GPU type and size; few machines",
		Span: "53.5 h from 2020-03-15, every 10 min", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "local time of the collector, written as if it were UTC",
		folder: "dime-availability-logs", moved: []moved{{"logs/aws/availability/", "aws_availability/"}},
	},
	{
		Name: "dime-gcp-availability", What: "lifetimes of V100, P100 and K80 machines of one GPU, 9 slots in 3 zones", Cloud: "gcp",
		Use:  "lifetimes by GPU type; few machines",
		Span: "68.8 h from 2020-03-01, every 12 min", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "local time of the collector, written as if it were UTC; the second log begins on 03-04 (8 GPUs)",
		folder: "dime-availability-logs", moved: []moved{{"logs/gcp/", "gcp/"}},
	},
	{
		Name: "dime-gcp-launches", What: "machines that could be launched, 5 zones, 3 GPU types, 1 to 8 GPUs; successes only", Cloud: "gcp",
		Use:  "what could be launched where; not its lifetime",
		Span: "2020-02-26 to 03-04, every 5 h", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "an absent type may never have been offered",
		folder: "dime-availability-logs", moved: []moved{{"logs/gcp/", "gcp/"}},
	},
	{
		Name: "dime-azure-prices", What: "spot prices of 12 NC sizes, 3 regions", Cloud: "azure",
		Use:  "prices of Azure; a value a day",
		Span: "2020-02-24 to 03-23, daily", Repo: dime, Commit: dimeCommit, Licence: "MIT",
		Note:   "typed by hand: one price of us_south_central is five times its neighbours (02-26, NC24s v2)",
		folder: "dime-azure-prices", moved: []moved{{"logs/azure/cost/", ""}},
	},
	{
		Name: "bamboo-aws-p3", What: "p3 machines appearing and disappearing in an autoscaled pool of up to 32", Cloud: "aws",
		Use:  "preemptions as Bamboo, Oobleck and Parcae replay them",
		Span: "11.4 h, 60-s clock", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:   "the pool's target is not recorded: a rise is the launcher's delay",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws"},
		folder: "bamboo-preemption-traces", moved: []moved{{"traces/", ""}},
	},
	{
		Name: "bamboo-aws-g4dn", What: "g4dn.xlarge machines appearing and disappearing in an autoscaled pool of up to 24", Cloud: "aws",
		Use:  "a second history to repeat a result on",
		Span: "10.6 h, 60-s clock", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:   "the pool's target is not recorded: a rise is the launcher's delay",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws", InstanceType: "g4dn.xlarge"},
	},
	{
		Name: "bamboo-aws-2020", What: "g4dn.xlarge and p2.xlarge machines of autoscaled pools of up to 12 and 16, 2 zones", Cloud: "aws",
		Use:  "short histories of one pool, for tests of forecasts",
		Span: "2020-11-20 to 11-24, about 20 h each, on change", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:    "the end of the observation is only in the file name, and disagrees; two files without an event and the copies in hours are left out",
		format:  "step-counts",
		options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws", Unit: time.Second},
		folder:  "bamboo-preemption-traces", moved: []moved{{"doc/data/", "doc_data/"}},
	},
	{
		Name: "bamboo-aws-2020-g4dn", What: "g4dn.xlarge machines of an autoscaled pool, us-east-1d", Cloud: "aws",
		Use:  "a short history, for tests of forecasts",
		Span: "12.7 h from 2020-11-23, on change", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:   "the file's name says 22 h",
		format: "step-counts", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws", InstanceType: "g4dn.xlarge", Unit: time.Second},
	},
	{
		Name: "bamboo-aws-2020-p2", What: "p2.xlarge machines of an autoscaled pool of up to 16", Cloud: "aws",
		Use:  "the longest of the pools of 2020",
		Span: "88.7 h from 2020-11-20, on change", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:   "written in hours, to 3.6 s",
		format: "step-counts", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws", InstanceType: "p2.xlarge", Unit: time.Hour},
	},
	{
		Name: "bamboo-gcp-v100", What: "V100 machines of an autoscaled pool of up to 80, us-east1-c", Cloud: "gcp",
		Use:  "large pools of Google",
		Span: "24.2 h from 2021-12-10, every minute", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:   "15 rows go back in time: sorted, the later row of an instant holds",
		format: "step-counts", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "gcp", Zone: "us-east1-c", GPU: "V100", GPUs: 1,
			Disorder: traces.SortLastWins},
		folder: "bamboo-preemption-traces", moved: []moved{{"traces/", ""}},
	},
	{
		Name: "bamboo-gcp-a100", What: "A100 machines of an autoscaled pool of up to 64, us-east1-b", Cloud: "gcp",
		Use:  "large pools of Google; a hole of five hours",
		Span: "27 h from 2021-12, every 100 s", Repo: bamboo, Commit: bambooCommit, Licence: "MIT",
		Note:   "a hole of 5 h; the pool's target is not recorded",
		format: "step-counts", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "gcp", Zone: "us-east1-b", GPU: "A100", GPUs: 1},
	},
	{
		Name: "parcae-aws-p3", What: "bamboo-aws-p3 as a running count", Cloud: "aws",
		Use:  "comparison with Parcae, which replays this form",
		Span: "11.4 h, 60-s clock", Repo: parcae, Commit: parcaeCommit, Licence: "MIT",
		Note:    "the same observation as bamboo-aws-p3: count it once",
		format:  "step-counts",
		options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws", Unit: time.Millisecond},
		folder:  "parcae-traces", moved: []moved{{"aws/traces/", ""}},
	},
	{
		Name: "parcae-segments", What: "four hours cut from bamboo-aws-p3 (BERT runs)", Cloud: "aws",
		Use:  "Parcae's figures by segment",
		Span: "4 x 1 h, 60-s clock", Repo: parcae, Commit: parcaeCommit, Licence: "MIT",
		Note:    "cut from bamboo-aws-p3, mixed with Parcae's own decisions, which are not imported; the hours of the other models are the same",
		format:  "node-events",
		options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws"},
		folder:  "parcae-traces", moved: []moved{{"aws/traces/", "segments/"}},
	},
	{
		Name: "spotserve-g4dn", What: "bamboo-aws-g4dn as SpotServe replays it", Cloud: "aws",
		Use:  "comparison with SpotServe",
		Span: "10.6 h, 60-s clock", Repo: spotserve, Commit: spotserveCommit, Licence: "Apache-2.0",
		Note:   "the same observation as bamboo-aws-g4dn: count it once",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsAutoscaling, Cloud: "aws", InstanceType: "g4dn.xlarge"},
	},
	{
		Name: "spotserve-scenarios", What: "minutes cut from bamboo-aws-g4dn and edited, and arrivals of queries", Cloud: "aws",
		Use:  "comparison with SpotServe",
		Span: "10 to 20 min each", Repo: spotserve, Commit: spotserveCommit, Licence: "Apache-2.0",
		Note: "edited, not observed",
		Kept: "scenarios of serving, with decisions of its own",
	},
	{
		Name: "oobleck-synthetic", What: "30 machines of which 15 are taken, one every 5 min to 6 h", Cloud: "synthetic",
		Use:  "Oobleck's figure of fixed periods",
		Span: "six files, fixed periods", Repo: oobleck, Commit: oobleckCommit, Licence: "MIT",
		Note:   "generated, not observed",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsSynthetic, Cloud: "synthetic"},
		folder: "oobleck-sim-traces", moved: []moved{{"tools/simulator/traces/", ""}},
	},
	{
		Name: "oobleck-scaled-p3", What: "bamboo-aws-p3 scaled by its users", Cloud: "synthetic",
		Use:  "Oobleck's figure of a scaled history",
		Span: "11.4 h, 60-s clock", Repo: oobleck, Commit: oobleckCommit, Licence: "MIT",
		Note:   "edited, not observed",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsSynthetic, Cloud: "synthetic"},
		folder: "oobleck-sim-traces", moved: []moved{{"tools/simulator/traces/", ""}},
	},
	{
		Name: "oobleck-scaled-g4dn", What: "bamboo-aws-g4dn scaled by its users", Cloud: "synthetic",
		Use:  "Oobleck's scaled history that it calls gcp",
		Span: "10.6 h, 60-s clock", Repo: oobleck, Commit: oobleckCommit, Licence: "MIT",
		Note:   "edited, not observed; it has the instants of bamboo-aws-g4dn, whatever its name says",
		format: "node-events", options: traces.Options{Semantics: traces.SemanticsSynthetic, Cloud: "synthetic"},
	},
	{
		Name: "goog-preemption-lifetimes", What: "lifetimes of 1,442 preemptible CPU machines, half of them censored, 6 zones", Cloud: "gcp",
		Use:  "the shape of lifetimes below the limit of 24 h of that time; the half that users stopped is censored",
		Span: "2019-02-18 to 04-07, exact to 1 ms", Repo: "kadupitiya/goog-preemption-data", Commit: "b22f181e1edb9000dceea40eda5890622cdfdd87",
		Licence: "Apache-2.0",
		Note:    "it names a person, which an import leaves out",
		format:  "gcp-operations",
	},
	{
		Name: "cakelab-gcp-gpu-lifetimes", What: "lifetimes of 565 preemptible K80, P100 and V100 machines, 152 of them dated", Cloud: "gcp",
		Use:  "lifetimes by GPU type",
		Span: "2018-05 to 2019-02, to 1 min", Repo: "cake-lab/transient-deep-learning", Commit: "87c6717e4026801623cf0327e78ad57f51cb1461", Licence: "Apache-2.0",
		Note:   "some lengths are corrupt: the import counts them",
		format: "lifetime-csv",
	},
	{
		Name: "cyclenerd-gcp-spot-prices", What: "list prices on demand and spot of all machine types", Cloud: "gcp",
		Use:  "prices of Google over three years, which change about monthly",
		Span: "2023-05-08 to 2026-07-30, about weekly", Repo: "Cyclenerd/google-cloud-pricing-cost-calculator",
		Commit: "dac31281f2a4575f0a8bff20ac04fc71a5ff2190", Licence: "Apache-2.0",
		Note:   "290 revisions of one file, 604 MB; of 4 more no checksum could be computed; --from expects each in a folder named by its commit",
		format: "gcp-pricing",
	},
	{
		Name: "aws-spot-advisor-snapshots", What: "bands of monthly interruption rates and savings, all types, up to 33 regions", Cloud: "aws",
		Use:  "a rough rate of interruptions by type and region; no events",
		Span: "one snapshot", Repo: "alexei-led/spotinfo", Commit: "05e933139449b888c78795b28af8e9370429a031", Licence: "Apache-2.0",
		Note: "the latest of three snapshots; the others are at commit 364abc36, and in ETOgaosion/bamboo at fe8d0507 (MIT)",
		Kept: "the file does not say when it was taken: traces import --start",
	},
	{
		Name: "aws-bidding-era-g2", What: "spot prices of g2 types while bids still decided, us-east-1", Cloud: "aws",
		Use:  "the only prices that themselves took machines",
		Span: "2015-03 to 2016-04, on change", Repo: "prateek-s/spot-price-model", Commit: "6f09f3de",
		Note:     "also hshazly/Amazon-Spot-Price-Estimator at 4c1215fa",
		Unsummed: "Python pickles, which can run any code and are not opened",
	},
	{
		Name: "neocloud-gpu-price-tracker", What: "offers of H100 and other GPUs by small clouds; not a spot market", Cloud: "others",
		Use:  "levels of prices outside the large clouds",
		Span: "2025-10-19 to 11-16, every 30 min", Repo: "tugot17/gpu-price-tracker", Commit: "718a831c495f202f8c290d290b1f652aa7ed70d9", Licence: "MIT",
		Kept: "offers of many sellers, not the price of one pool",
	},
	{
		Name: "sia-job-traces", What: "128 workloads made of jobs of the Philly and Helios clusters", Cloud: "none",
		Use:  "sizes and arrivals of jobs",
		Span: "2017-09-04 to 12-22", Repo: "siasosp23/artifacts", Commit: "aaf7a0de7b6cb5eab06ea020467ede5d2fd18e70",
		Note: "the Philly part is CC-BY-4.0 at its own home",
		Kept: "the workloads name applications of Sia's simulator and no durations",
	},
	{
		Name: "gavel-jobs-103959", What: "jobs drawn from one virtual cluster of the Philly log", Cloud: "none",
		Use:  "sizes and arrivals of jobs",
		Span: "seed 0", Repo: gavel, Commit: gavelCommit, Licence: "MIT",
		folder: "gavel-job-traces", moved: []moved{{"scheduler/traces/msr/seed=0/", "msr_seed0/"}},
	},
	{
		Name: "gavel-jobs-23dbec", What: "jobs drawn from one virtual cluster of the Philly log", Cloud: "none",
		Use:  "a short list of jobs, for tests",
		Span: "seed 0", Repo: gavel, Commit: gavelCommit, Licence: "MIT",
		folder: "gavel-job-traces", moved: []moved{{"scheduler/traces/msr/seed=0/", "msr_seed0/"}},
	},
	{
		Name: "gavel-jobs-physical", What: "jobs of the experiment on a real cluster", Cloud: "none",
		Use:  "a list of jobs that ran on a real cluster",
		Span: "13 h", Repo: gavel, Commit: gavelCommit, Licence: "MIT",
		folder: "gavel-job-traces", moved: []moved{{"scheduler/traces/", ""}},
	},
	{
		Name: "gavel-jobs-all", What: "jobs of 15 virtual clusters in five draws, and of experiments on a real cluster", Cloud: "none",
		Use:  "sizes and arrivals of jobs, for many runs",
		Span: "83 lists", Repo: gavel, Commit: gavelCommit, Licence: "MIT",
		Kept: "a list of jobs a file: traces import FILE",
	},
	{
		Name: "notebookos-sessions", What: "59 sessions of notebooks with 790 cells, as a workload template", Cloud: "none",
		Use:  "sessions that need GPUs only while a cell runs: notebooks: {template: FILE} of a spec",
		Span: "2021-06-01 to 02, 47.7 h in minutes", Repo: "ds2-lab/NotebookOS-Dashboard", Commit: "e16452ca43e87b92362cedfbf72b56f13417f8f5", Licence: "MIT",
		Note: "the licence is the repository's; the trace is Adobe's",
		Kept: "sessions of notebooks, no history of capacity or prices",
	},
	{
		Name: "philly", What: "117,325 jobs of Microsoft's Philly clusters", Cloud: "none",
		Use:  "sizes, arrivals and lengths of jobs: philly-jobs reads cluster_job_log",
		Span: "2017-08 to 12", Repo: "msr-fiddle/philly-traces", Commit: "29a1b87", Licence: "CC-BY-4.0",
		Note:     "1.06 GB; cite Jeon et al., USENIX ATC 2019",
		Unsummed: "the data is kept outside of the repository (Git LFS)",
	},
	{
		Name: "helios", What: "3.36 million jobs of SenseTime's four clusters, 1.58 million with GPUs", Cloud: "none",
		Use:  "sizes, arrivals, queues and lengths of jobs: helios-jobs reads cluster_log.csv",
		Span: "2020-04 to 09", Repo: "S-Lab-System-Group/HeliosData", Commit: "159f0ca", Licence: "CC-BY-4.0",
		Note:     "36 MB packed; cite Hu et al., SC 2021",
		Unsummed: "the data is kept outside of the repository",
	},
	{
		Name: "acme", What: "jobs of two clusters that train language models", Cloud: "none",
		Use:  "sizes, arrivals, queues and lengths of jobs: acme-jobs reads trace_seren.csv and trace_kalos.csv",
		Span: "2023-03 to 08", Repo: "InternLM/AcmeTrace", Commit: "6d6ac9c", Licence: "CC-BY-4.0",
		Note:     "109 MB; cite Hu et al., NSDI 2024",
		Unsummed: "the data is kept outside of the repository",
	},
	{
		Name: "muri", What: "10,879 jobs on the arrivals, lengths and sizes of four virtual clusters of Philly", Cloud: "none",
		Use:  "sizes, arrivals and lengths of jobs: tiresias-jobs reads simulator/trace-data/trace1.csv to trace4.csv; muri-1, muri-2 and muri-4 can be pulled",
		Span: "85 to 125 days", Repo: "Rivendile/Muri", Commit: "4e69a78", Licence: "Apache-2.0",
		Note:     "networks and speeds were assigned by the authors, not recorded",
		Unsummed: "the full commit is not known",
	},
	{
		Name: "muri-1", What: "1,494 jobs on the arrivals, lengths and sizes of one virtual cluster of Philly", Cloud: "none",
		Use:  "sizes, arrivals and lengths of jobs",
		Span: "125 days", Repo: "Rivendile/Muri", Commit: "7264b1aee900029236051058242e6de6f93e166d", Licence: "Apache-2.0",
		Note:   "trace1.csv of muri",
		format: "tiresias-jobs", folder: "jobs/muri-philly-derived", moved: []moved{{"simulator/trace-data/", ""}},
	},
	{
		Name: "muri-2", What: "5,755 jobs on the arrivals, lengths and sizes of one virtual cluster of Philly", Cloud: "none",
		Use:  "sizes, arrivals and lengths of jobs",
		Span: "99 days", Repo: "Rivendile/Muri", Commit: "7264b1aee900029236051058242e6de6f93e166d", Licence: "Apache-2.0",
		Note:   "trace2.csv of muri",
		format: "tiresias-jobs", folder: "jobs/muri-philly-derived", moved: []moved{{"simulator/trace-data/", ""}},
	},
	{
		Name: "muri-4", What: "2,638 jobs on the arrivals, lengths and sizes of one virtual cluster of Philly", Cloud: "none",
		Use:  "sizes, arrivals and lengths of jobs",
		Span: "85 days", Repo: "Rivendile/Muri", Commit: "7264b1aee900029236051058242e6de6f93e166d", Licence: "Apache-2.0",
		Note:   "trace4.csv of muri",
		format: "tiresias-jobs", folder: "jobs/muri-philly-derived", moved: []moved{{"simulator/trace-data/", ""}},
	},
	{
		Name: "tiresias", What: "60 jobs of an experiment on a real cluster", Cloud: "none",
		Use:  "a short list of jobs: tiresias-jobs reads simulator/60_job.csv",
		Span: "30 minutes of arrivals", Repo: "SymbioticLab/Tiresias", Commit: "959f9b0", Licence: "Apache-2.0",
		Unsummed: "the full commit is not known",
	},
	{
		Name: "alibaba-v2026-spot-gpu", What: "4,278 nodes with 10,412 GPUs under a scheduler of spot jobs; the table of jobs is missing", Cloud: "alibaba",
		Use:  "shapes of machines",
		Span: "-", Repo: alibaba, Commit: alibabaCommit,
		Note: "cluster-trace-v2026-spot-gpu; no licence is stated for the folder",
		Kept: "a list of machines without times",
	},
	{
		Name: "alibaba-gpu-v2020", What: "times of mini-batches and headers of the tables of a GPU cluster", Cloud: "alibaba",
		Use:  "how much the time of a mini-batch varies",
		Span: "2020-07 to 08", Repo: alibaba, Commit: alibabaCommit, Licence: "CC-BY-4.0",
		Note: "the tables of jobs are too large and were not summed: data/download_data.sh gets them, pai-jobs reads them",
		Kept: "not a history of capacity or prices",
	},
	{
		Name: "alibaba-gpu-v2023", What: "machines and pods of GPU clusters", Cloud: "alibaba",
		Use:  "shapes of machines and jobs",
		Span: "25 workloads", Repo: alibaba, Commit: alibabaCommit,
		Note: "no licence is stated for the folder",
		Kept: "not a history of capacity or prices",
	},
	{
		Name: "alibaba-gpu-v2025", What: "inferences of recommendation models whose parts run apart", Cloud: "alibaba",
		Use:  "shapes of requests",
		Span: "one file", Repo: alibaba, Commit: alibabaCommit,
		Note: "no licence is stated for the folder",
		Kept: "not a history of capacity or prices",
	},
}
