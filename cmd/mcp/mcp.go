// Package mcp is the command marigram mcp: what marigram can work out, for agents that speak the Model Context Protocol.
//
// Every call of a tool is a call of the command of the same name, in a process of its own (Confined) that reads no file outside
// of one folder, starts no program, reaches no network, and has so much time and memory.
package mcp

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
)

// Command returns the command.
func Command() *cobra.Command {
	var f limits
	return cli.Interruptible(cli.WithFlags(&cobra.Command{
		Use:   "mcp FOLDER",
		Short: "Serve validate, run, tune, explain, advise and schema to agents (Model Context Protocol)",
		Long: `Answers an agent on the standard input and output, by the Model Context Protocol: validate, run,
tune, explain, advise and schema, as the commands of these names do.

A call reads the files of FOLDER, the specs that come with marigram and the data sets that were pulled, and
nothing else: no link leads out of FOLDER. It writes nothing there, starts no program (policies that
are commands are refused), and reaches no network. It ends after --time, or at --memory. Calls
run one after the other.`,
		Example: "  marigram mcp specs\n  marigram mcp . --time 5m --memory 8192",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.serve(cmd, args[0]) },
	}, &f))
}

func (f *limits) serve(cmd *cobra.Command, folder string) error {
	dir, err := filepath.EvalSymlinks(folder)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return err
	}
	if root, err := os.OpenRoot(dir); err != nil { // a file, or not to be read
		return err
	} else if err := root.Close(); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "marigram-mcp-")
	if err != nil {
		return cli.Failed(err)
	}
	defer os.RemoveAll(temp)
	version, _ := cli.BuildVersion()
	server := mcp.NewServer(&mcp.Implementation{Name: "marigram", Version: version}, &mcp.ServerOptions{Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	addTools(server, &session{dir: dir, temp: temp, limits: *f, turn: make(chan struct{}, 1)})
	err = server.Run(cmd.Context(), &mcp.IOTransport{Reader: io.NopCloser(cmd.InOrStdin()), Writer: unclosed{cmd.OutOrStdout()}})
	if cmd.Context().Err() != nil {
		return context.Cause(cmd.Context())
	}
	return cli.Failed(err)
}

// unclosed is an output that others close.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

const instructions = `marigram simulates the training of neural networks on spot instances: what it costs, when it is done, whether it meets ` +
	`its objective, under policies. Begin with run of the spec "quickstart". Write specs by schema (a part at a time: key), check them with ` +
	`validate, and look into a run with explain. A result holds for the market, model and assumptions of its spec; say so when you report it.`
