package stragglers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/registry"
	"github.com/marigram/marigram/traces/formats/read"
)

// Operation is a row of a trace: what one worker did in one step.
type Operation struct {
	DPRank   int32   `col:"dp_rank" doc:"rank of the worker among the replicas, from 0"`
	Stage    int32   `col:"stage" doc:"stage of the pipeline, from 0"`
	Rank     int32   `col:"rank" doc:"rank of the worker's GPU in the job"`
	Step     int64   `col:"step" doc:"number of the step; steps are a sample"`
	Type     string  `col:"optype" doc:"what is done"`
	StartS   float64 `col:"start_ts" unit:"s" doc:"when it began, since the beginning of the step; a float32"`
	Duration float64 `col:"duration" unit:"s" doc:"how long it took; a float32"`
	Sequence int32   `col:"seq_id" doc:"how many of its type the worker began before it in the step"`
	Chunk    int32   `col:"mc" doc:"chunk of the stage, from 0; -1: none"`
	Batch    int32   `col:"mb_id" doc:"micro-batch; not used"`
	Model    int32   `col:"gmc" doc:"chunk of the model, from 0"`
}

// The types of operations.
const (
	forward         = "forward-compute"
	backward        = "backward-compute"
	collect         = "gc"
	optimize        = "optimizer"
	forwardSend     = "forward-send"
	forwardRecv     = "forward-recv"
	backwardSend    = "backward-send"
	backwardRecv    = "backward-recv"
	allGather       = "params-all-gather"
	reduceScatter   = "grads-reduce-scatter"
	separateReduce  = "separate-grads-all-reduce"
	layerNorm       = "layernorm-grads-all-reduce"
	embedding       = "embedding-grads-all-reduce"
	clip            = "optimizer-clip-main-grad"
	forwardPipeline = "forward-pp-comm"  // forwardSend and forwardRecv
	backwardPipe    = "backward-pp-comm" // backwardSend and backwardRecv
)

// types are all of them: the value says whether it computes, and its ideal is a mean.
var types = map[string]bool{
	forward: true, backward: true, collect: true, optimize: true,
	forwardSend: false, forwardRecv: false, backwardSend: false, backwardRecv: false, allGather: false,
	reduceScatter: false, separateReduce: false, layerNorm: false, embedding: false, clip: false,
}

// typeNames lists the types, for errors.
var typeNames = []string{forward, backward, collect, optimize, forwardSend, forwardRecv, backwardSend, backwardRecv,
	allGather, reduceScatter, separateReduce, layerNorm, embedding, clip}

const (
	// maxRows bounds a trace: the published ones have 0.1 million operations.
	maxRows = 8 << 20
	// maxSeconds bounds times since the beginning of a step: a float32 is exact to 4 ms there.
	maxSeconds = 65536
	window     = 1 << 20
)

var errRows = fmt.Errorf("more than %d operations, expected fewer: give it fewer steps", maxRows)

// ReadOperations reads a trace: Parquet, or CSV, which may be packed (.gz), in the columns of Operation. Errors name
// the row.
func ReadOperations(ctx context.Context, path string) ([]Operation, error) {
	if !strings.HasSuffix(path, ".parquet") {
		return readCSV(ctx, path)
	}
	rows, _, err := columnar.ReadUntil[Operation](ctx, path)
	if err != nil {
		return nil, err
	}
	if len(rows) > maxRows {
		return nil, fmt.Errorf("%s: %w", path, errRows)
	}
	for i := range rows {
		if err := rows[i].check(); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", path, i+1, err)
		}
	}
	return rows, nil
}

func readCSV(ctx context.Context, path string) ([]Operation, error) {
	source, err := read.Open(ctx, path, window)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	var rows []Operation
	var columns []string
	for _, column := range columnar.Columns[Operation]() {
		columns = append(columns, column.Name)
	}
	for row := range source.Table(columns...) {
		one := Operation{
			DPRank:   read.Field(row, "dp_rank", small),
			Stage:    read.Field(row, "stage", small),
			Rank:     read.Field(row, "rank", small),
			Step:     read.Field(row, "step", whole),
			Type:     strings.Clone(row.Text("optype")),
			StartS:   read.Field(row, "start_ts", seconds),
			Duration: read.Field(row, "duration", seconds),
			Sequence: read.Field(row, "seq_id", small),
			Chunk:    read.Field(row, "mc", small),
			Batch:    read.Field(row, "mb_id", small),
			Model:    read.Field(row, "gmc", small),
		}
		err := row.Err
		if err == nil {
			err = one.check()
		}
		if err == nil && len(rows) == maxRows {
			err = errRows
		}
		if err != nil && row.Err == nil {
			err = row.Errorf("", "%v", err)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, source.Err()
}

func small(text string) (int32, error) {
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, errors.New("expected a whole number")
	}
	return int32(number), nil
}

func whole(text string) (int64, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, errors.New("expected a whole number")
	}
	return number, nil
}

// seconds reads a float32: decimal digits stand for the nearest one.
func seconds(text string) (float64, error) {
	number, err := strconv.ParseFloat(text, 32)
	if err != nil {
		return 0, errors.New("expected a number of seconds")
	}
	return number, nil
}

// check refuses what no operation has, and makes its times float32.
func (o *Operation) check() error {
	if _, known := types[o.Type]; !known {
		return registry.Unknown("optype", o.Type, typeNames)
	}
	switch {
	case o.DPRank < 0 || o.Stage < 0 || o.Rank < 0 || o.Sequence < 0 || o.Chunk < -1:
		return fmt.Errorf("dp_rank %d, stage %d, rank %d, seq_id %d, mc %d: expected 0 or more (mc also -1: none)",
			o.DPRank, o.Stage, o.Rank, o.Sequence, o.Chunk)
	case !(math.Abs(o.StartS) <= maxSeconds):
		return fmt.Errorf("start_ts %v, expected seconds since the beginning of the step, at most %d",
			o.StartS, maxSeconds)
	case !(o.Duration >= 0 && o.Duration <= maxSeconds):
		return fmt.Errorf("duration %v, expected 0 to %d s", o.Duration, maxSeconds)
	}
	o.StartS = float64(float32(o.StartS))
	o.Duration = float64(float32(o.Duration))
	return nil
}

// end is when the operation ended, as a float32.
func (o *Operation) end() float64 { return float64(float32(o.StartS) + float32(o.Duration)) }

// isSend and isRecv tell of the pipeline's communication.
func isSend(kind string) bool { return kind == forwardSend || kind == backwardSend }
func isRecv(kind string) bool { return kind == forwardRecv || kind == backwardRecv }

// shown is how a type is called in results: sends and receives of a direction are one.
func shown(kind string) string {
	switch kind {
	case forwardSend, forwardRecv:
		return forwardPipeline
	case backwardSend, backwardRecv:
		return backwardPipe
	}
	return kind
}
