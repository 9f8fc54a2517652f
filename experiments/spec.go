package experiments

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Spec says what to simulate: a market, a model, objectives and policies. Every
// objective is run under every policy and every seed. Its YAML form is read
// strictly; keys that hold a quantity end in its unit (_s, _h, _usd_per_h, _gb).
type Spec struct {
	Name  string `json:"name" jsonschema:"name of the study, in results and file names"`
	About string `json:"about,omitempty" jsonschema:"what it is for"`

	Seed     int64   `json:"seed,omitempty" jsonschema:"first seed, at least 0; 1 if absent"`
	Seeds    int     `json:"seeds,omitempty" jsonschema:"number of seeds; 1 if absent"`
	HorizonS float64 `json:"horizon_s,omitempty" jsonschema:"seconds after which a run is cut; three times the longest objective if absent"`
	// Timelines bounds what all tables hold but summary.parquet.
	Timelines *int `json:"timelines,omitempty" jsonschema:"number of seeds, from the first, whose spans and decisions are kept for every policy and objective, where results are written; 1 if absent"`

	Market     MarketSpec      `json:"market" jsonschema:"prices and capacity"`
	Model      ModelSpec       `json:"model" jsonschema:"how the job trains"`
	Objectives []ObjectiveSpec `json:"objectives" jsonschema:"what is asked for; each is a scenario of its own"`
	Policies   []PolicySpec    `json:"policies,omitempty" jsonschema:"policies to compare; all that fit the model and the pools if absent, but for oracles"`

	file        string
	source      []byte
	tree        *ast.File // of source, with the present names of keys
	warnings    []string
	throughputs map[ThroughputSpec]knownThroughput // of a pipelined job
}

// MarketSpec describes the market: synthetic or recorded.
type MarketSpec struct {
	Synthetic *SyntheticSpec `json:"synthetic,omitempty" jsonschema:"a generated market, not a recorded one; another one for every seed"`
	Histories []HistorySpec  `json:"histories,omitempty" jsonschema:"recorded histories by name"`
	Pools     []PoolSpec     `json:"pools" jsonschema:"instance types that may be asked for"`
	Replay    ReplaySpec     `json:"replay,omitzero" jsonschema:"how a history is replayed as machines that come and go"`
	Boot      BootSpec       `json:"boot,omitzero" jsonschema:"time from the grant of an instance until it trains"`
	Billing   BillingSpec    `json:"billing,omitzero" jsonschema:"what the cloud charges"`
}

// SyntheticSpec asks for the built-in synthetic market, calibrated to published
// statistics of recorded ones.
type SyntheticSpec struct {
	Regions  int `json:"regions,omitempty" jsonschema:"number of regions; 1 if absent"`
	Zones    int `json:"zones,omitempty" jsonschema:"zones in each region; 2 if absent"`
	Machines int `json:"machines,omitempty" jsonschema:"most machines that a pool ever has; its quota if absent"`
}

// HistorySpec names a recorded history.
type HistorySpec struct {
	Name           string  `json:"name" jsonschema:"name by which pools refer to it"`
	Path           string  `json:"path" jsonschema:"file or folder, relative to this file, or pulled:NAME for a data set of marigram traces list"`
	Format         string  `json:"format,omitempty" jsonschema:"format (marigram traces import --help lists them); recognised by content if absent"`
	From           string  `json:"from,omitempty" jsonschema:"instant that becomes the start of a run, RFC 3339; the history's own start if absent. Histories begin together in a run: the same instant in each keeps them aligned on the calendar"`
	FromS          float64 `json:"from_s,omitempty" jsonschema:"the same in seconds after the history's own start"`
	AllowTruncated bool    `json:"allow_truncated,omitempty" jsonschema:"accept a page of prices that was cut (it has a NextToken)"`
	Polarity       string  `json:"polarity,omitempty" jsonschema:"what a 1 means, where the format does not say: 1=available or 1=preempted"`
	Disorder       string  `json:"disorder,omitempty" jsonschema:"rows that go back in time: refused if absent, file_order or sort_last_wins"`
}

// PoolSpec describes one instance type and where it is sold.
type PoolSpec struct {
	Type            string  `json:"type" jsonschema:"instance type; the model's profile must have it"`
	Zone            string  `json:"zone,omitempty" jsonschema:"zone (recorded markets)"`
	Cloud           string  `json:"cloud,omitempty" jsonschema:"aws, gcp or azure: its notice is the default; aws if absent"`
	Quota           *int    `json:"quota" jsonschema:"most spot instances held at one time in each zone, at least 1"`
	OnDemandQuota   int     `json:"on_demand_quota,omitempty" jsonschema:"most instances on demand; none if absent"`
	OnDemandUSDPerH float64 `json:"on_demand_usd_per_h,omitempty" jsonschema:"list price on demand"`

	Prices   *SeriesSpec `json:"prices,omitempty" jsonschema:"where the prices come from (recorded markets)"`
	Capacity *SeriesSpec `json:"capacity,omitempty" jsonschema:"where the capacity comes from (recorded markets); unlimited if absent"`
	Replay   *ReplaySpec `json:"replay,omitempty" jsonschema:"other than the market's"`
}

// SeriesSpec points at one pool of a history.
type SeriesSpec struct {
	History string  `json:"history" jsonschema:"name of a history"`
	Pool    string  `json:"pool,omitempty" jsonschema:"name of its pool (marigram traces stats prints them); may be absent where there is one only"`
	USDPerH float64 `json:"usd_per_h,omitempty" jsonschema:"price at all times, of a history in which there are none (prices only)"`
}

// ReplaySpec is the assumption under which a history is replayed.
type ReplaySpec struct {
	Adapter       string   `json:"adapter,omitempty" jsonschema:"count_cap (as many as were counted), binary_all (any count is room for the quota), per_event (the recorded machines), launch_only (counts limit launches, and lifetimes are drawn at random), lifetime_resample (room for the quota, and lifetimes are drawn at random) or bid (a price above the bid revokes all: the market before 2018); count_cap if absent"`
	Victim        string   `json:"victim,omitempty" jsonschema:"which machine is revoked when a count falls: random, newest or oldest; random if absent"`
	NoticeS       *float64 `json:"notice_s,omitempty" jsonschema:"warning before a machine is revoked; the cloud's if absent: AWS 120, GCP and Azure 30"`
	NoticeMissing float64  `json:"notice_missing,omitempty" jsonschema:"probability that no notice comes, 0 to 1"`
	Scale         float64  `json:"scale,omitempty" jsonschema:"multiplies counts (count_cap, launch_only); 1 if absent"`
	Copies        int      `json:"copies,omitempty" jsonschema:"machines for which each recorded one stands: they come and go together (count_cap, per_event, launch_only, lifetime_resample; of the last two the quota is a multiple); 1 if absent"`
	BidUSDPerH    float64  `json:"bid_usd_per_h,omitempty" jsonschema:"most that is paid for a machine (bid)"`

	Lifetime *LifetimeSpec `json:"lifetime,omitempty" was:"life" jsonschema:"distribution of how long held machines last (launch_only, lifetime_resample); for lifetime_resample the recorded lifetimes of the pool's capacity if absent"`
}

// BootSpec is a lognormal distribution. The default median is the time from notice
// to take-over of spotDNN's Fig. 9 (126 s); the default sigma is that of CM-DARE's
// start-up log (standard deviation of the logarithm .03 to .12).
type BootSpec struct {
	MedianS *float64 `json:"median_s,omitempty" jsonschema:"median; 126 if absent"`
	Sigma   *float64 `json:"sigma,omitempty" was:"spread" jsonschema:"standard deviation of the logarithm; 0.1 if absent"`
}

// BillingSpec names the billing rules; the default is per second, a minute at
// least, with the parameter server.
type BillingSpec struct {
	IncrementS             *float64 `json:"increment_s,omitempty" jsonschema:"unit to which the paid time of an instance is rounded up; 1 if absent"`
	MinimumS               *float64 `json:"minimum_s,omitempty" jsonschema:"least paid time of an instance; 60 if absent"`
	FreeFirstHour          bool     `json:"free_first_hour_on_revocation,omitempty" jsonschema:"an instance revoked within its first hour costs nothing"`
	SkipParameterServers   bool     `json:"skip_parameter_servers,omitempty" jsonschema:"leave the parameter server out of the bill, as the spotDNN paper does"`
	ParameterServerUSDPerH *float64 `json:"parameter_server_usd_per_h,omitempty" jsonschema:"price on demand; 0.192 (m5.xlarge, us-east-1) if absent"`
	StorageGB              float64  `json:"storage_gb,omitempty" jsonschema:"checkpoint storage"`
	StorageUSDPerGBMonth   float64  `json:"storage_usd_per_gb_month,omitempty" jsonschema:"its price"`
}

// PolicySpec is a policy with settings other than its defaults.
type PolicySpec struct {
	Name string `json:"name" jsonschema:"one of those that marigram policies lists"`
	// Settings by name, as YAML decodes them: numbers, true or false, names.
	Settings map[string]any `json:"settings,omitempty" jsonschema:"settings by name (marigram policies lists them)"`

	Throughput *ThroughputSpec `json:"throughput,omitempty" jsonschema:"of the pipelined job under this policy; the model's if absent"`
	Recovery   *RecoverySpec   `json:"recovery,omitempty" jsonschema:"of the pipelined job under this policy; the model's if absent"`
}

// maxSpecBytes bounds a spec file; quantities are bounded where they are checked.
const maxSpecBytes = 64 << 10

// Only specs that need no other file than pulled sets come with the program.
//
//go:embed specs/parcae-p3.yaml specs/quickstart.yaml specs/shrinking-fleet.yaml specs/systems-p3.yaml
var builtin embed.FS

// Builtin returns the names of the specs that come with marigram.
func Builtin() []string {
	entries, _ := builtin.ReadDir("specs")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	sort.Strings(names)
	return names
}

// Open reads a spec, a file or one that comes with marigram by its name, with
// other values where settings say so.
func Open(name string, settings ...Setting) (*Spec, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		data, inside := builtin.ReadFile("specs/" + name + ".yaml")
		if inside != nil {
			return nil, fmt.Errorf("%w (and no spec that comes with marigram; those are %s)", err, strings.Join(Builtin(), ", "))
		}
		return Parse(name+".yaml", data, settings...)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSpecBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return Parse(name, data, settings...)
}

// Parse reads a spec from YAML, with other values where settings say so. Errors
// give file, line and column, an excerpt, and for an unknown key the nearest that
// is known; or the setting.
func Parse(name string, data []byte, settings ...Setting) (s *Spec, err error) {
	if len(data) > maxSpecBytes {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, maxSpecBytes)
	}
	if data, err = Readable(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty, expected a spec", name)
	}
	defer func() { // the YAML library has panicked on bad input before
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("%s: not readable as YAML: %v", name, r)
		}
	}()
	s = &Spec{Seed: 1, Seeds: 1, file: name, source: data}
	if err := s.decode(); err != nil {
		return nil, err
	}
	return s, s.complete(settings)
}

// decode reads the source's one document into s.
func (s *Spec) decode() (err error) {
	if s.tree, err = parser.ParseBytes(s.source, 0); err != nil {
		return yamlError(s.file, s.source, err)
	}
	switch docs := s.tree.Docs; {
	case len(docs) > 1:
		return fmt.Errorf("%s: has more than one YAML document", s.file)
	case len(docs) == 0 || docs[0].Body == nil:
		return fmt.Errorf("%s: has only comments, expected a spec", s.file)
	}
	body := s.tree.Docs[0].Body
	s.usePresentNames(body, reflect.TypeFor[Spec]())
	var plain any
	if err = yaml.NodeToValue(body, s, yaml.Strict()); err == nil {
		err = yaml.NodeToValue(body, &plain)
	}
	if err != nil {
		return yamlError(s.file, s.source, err)
	}
	return s.whole(reflect.TypeFor[Spec](), plain, "$")
}

// complete puts the settings in and gives what is left out its default.
func (s *Spec) complete(settings []Setting) error {
	for _, x := range settings {
		if x.ofPolicies() {
			continue
		}
		if err := s.apply(x); err != nil {
			return err
		}
	}
	if err := s.finiteFields(); err != nil {
		return err
	}
	if err := s.readTimes(); err != nil {
		return err
	}
	s.defaults()
	if err := s.Validate(); err != nil {
		return err
	}
	for _, x := range settings {
		if !x.ofPolicies() {
			continue
		}
		if err := s.apply(x); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) defaults() {
	s.nameObjectives()
	longest := 0.0
	for _, o := range s.Objectives {
		longest = max(longest, o.TimeS)
	}
	if s.HorizonS == 0 {
		s.HorizonS = min(3*longest, maxHorizonS)
	}
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// at returns an error at a place in the file, such as "$.market.pools[0].quota".
func (s *Spec) at(path, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	p, err := yaml.PathString(path)
	if err != nil {
		return fmt.Errorf("%s: %s: %s", s.file, path[2:], msg)
	}
	if node, err := p.FilterFile(s.tree); err == nil && node != nil {
		pos := node.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s: %s\n%s", s.file, pos.Line, pos.Column, path[2:], msg, excerpt(s.source, pos.Line, pos.Column))
	}
	return fmt.Errorf("%s: %s: %s", s.file, path[2:], msg)
}

// partError is an error in what a key holds, below the place that is checked.
type partError struct {
	key string // or several, joined by dots
	err error
}

func (e *partError) Error() string { return e.key + ": " + e.err.Error() }
func (e *partError) Unwrap() error { return e.err }

// atPart returns an error at a place, or below it where it is that of a part
// which the file has.
func (s *Spec) atPart(path, prefix string, err error) error {
	var part *partError
	if errors.As(err, &part) {
		below := path + "." + part.key
		if p, e := yaml.PathString(below); e == nil {
			if _, e := p.FilterFile(s.tree); e == nil {
				return s.at(below, "%s%v", prefix, part.err)
			}
		}
	}
	return s.at(path, "%s%v", prefix, err)
}

// path returns a file named in the spec, relative to the spec's own folder.
func (s *Spec) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(s.file), name)
}

// Source returns the spec's file name and text, for provenance.
func (s *Spec) Source() (string, []byte) { return s.file, s.source }

// Warnings are about the spec itself: former names of keys and settings.
func (s *Spec) Warnings() []string { return s.warnings }

// whole reports the first fraction where a whole number belongs, in a value of type
// t as YAML has it: the YAML library cuts it off.
func (s *Spec) whole(t reflect.Type, v any, path string) error {
	switch x := v.(type) {
	case float64:
		if k := t.Kind(); k == reflect.Int || k == reflect.Int64 || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Int {
			return s.at(path, "%v, expected a whole number", x)
		}
	case []any:
		for i := range x {
			if t.Kind() != reflect.Slice {
				break
			}
			if err := s.whole(t.Elem(), x[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
			name := keyOf(t.Field(i))
			if inner, ok := x[name]; ok && name != "" {
				if err := s.whole(t.Field(i).Type, inner, path+"."+name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// finiteFields reports the first number that is not finite.
func (s *Spec) finiteFields() error {
	return walkNumbers(reflect.ValueOf(s).Elem(), "$", func(path string, x float64) error {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return s.at(path, "%v, expected a finite number", x)
		}
		return nil
	})
}

func walkNumbers(v reflect.Value, path string, visit func(string, float64) error) error {
	switch v.Kind() {
	case reflect.Float64:
		return visit(path, v.Float())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return walkNumbers(v.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := walkNumbers(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			if err := walkNumbers(v.MapIndex(k), path+"."+k.String(), visit); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := keyOf(v.Type().Field(i))
			if name == "" {
				continue
			}
			if err := walkNumbers(v.Field(i), path+"."+name, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func sortedKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
	return keys
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }
