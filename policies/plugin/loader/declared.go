//go:build !js

package loader

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/marigram/marigram/policies/plugin/message"
)

// asked remembers what plug-ins said of their settings, by what they are made of: a spec is opened many times.
var asked sync.Map // of *answered by string

type answered struct {
	sync.Once
	settings []message.Setting
	err      error
}

// declared returns the settings that the plug-in says it has, nil if it does not say.
func (g *Plugin) declared() ([]message.Setting, error) {
	key := g.Dir + "\x00" + strings.Join(g.Command, "\x00")
	for _, name := range g.Files() {
		if info, err := os.Stat(g.path(name)); err == nil {
			key += fmt.Sprintf("\x00%d %d", info.Size(), info.ModTime().UnixNano())
		}
	}
	x, _ := asked.LoadOrStore(key, new(answered))
	a := x.(*answered)
	a.Do(func() { a.settings, a.err = g.ask() })
	return a.settings, a.err
}

// ask starts the plug-in, without settings, asks it and ends it.
func (g *Plugin) ask() ([]message.Setting, error) {
	bare := *g
	bare.Settings = nil
	carrier, err := bare.open(true)
	if err != nil {
		return nil, err
	}
	settings, err := carrier.Settings()
	_ = carrier.Close() // it has decided nothing
	return settings, err
}
