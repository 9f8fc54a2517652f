//go:build js

// The program of the page Try, in a worker: marigramRead(name, bytes) and marigramRecorded(name, bytes) read a market,
// marigramSpec(job) writes a spec, marigramRun(text) runs it, marigramPage() draws what was run. All answers are JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"github.com/marigram/marigram/cmd/live/try"
)

var on *try.Market

var errNoMarket = errors.New("no market, expected prices first")

func main() {
	debug.SetGCPercent(400) // nothing else runs in the worker
	define("marigramRead", func(args []js.Value) (any, error) { return market(try.Read, args) })
	define("marigramRecorded", func(args []js.Value) (any, error) { return market(try.Recorded, args) })
	define("marigramSpec", func(args []js.Value) (any, error) {
		var job try.Job
		if err := json.Unmarshal([]byte(args[0].String()), &job); err != nil {
			return nil, err
		}
		if on == nil {
			return nil, errNoMarket
		}
		text, assumed, err := on.Spec(job)
		return map[string]any{"spec": string(text), "assumed": assumed}, err
	})
	define("marigramRun", func(args []js.Value) (any, error) {
		if on == nil {
			return nil, errNoMarket
		}
		return on.Run(context.Background(), []byte(args[0].String()))
	})
	define("marigramPage", func([]js.Value) (any, error) {
		if on == nil {
			return nil, errNoMarket
		}
		page, err := on.Page()
		return map[string]any{"page": page}, err
	})
	select {}
}

func market(read func(string, []byte) (*try.Market, error), args []js.Value) (any, error) {
	b := make([]byte, args[1].Length())
	js.CopyBytesToGo(b, args[1])
	m, err := read(args[0].String(), b)
	if err == nil {
		on = m
	}
	return m, err
}

// define gives the worker a function. A fault of the program is an error of that call.
func define(name string, f func([]js.Value) (any, error)) {
	js.Global().Set(name, js.FuncOf(func(_ js.Value, args []js.Value) (out any) {
		defer func() {
			if bad := recover(); bad != nil {
				out = answer(nil, fmt.Errorf("%v", bad))
			}
		}()
		return answer(f(args))
	}))
}

func answer(x any, err error) string {
	if err != nil {
		x = map[string]string{"error": err.Error()}
	}
	text, err := json.Marshal(x)
	if err != nil {
		return `{"error":"the answer has no JSON form"}`
	}
	return string(text)
}
