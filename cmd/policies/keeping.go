package policies

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/internal/atomicfile"
	"github.com/marigram/marigram/internal/store"
)

// sets returns the command that lists the sets.
func sets() *cobra.Command {
	return &cobra.Command{
		Use: "sets", Short: "List the sets that come with marigram", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range judge.Names() {
				s, err := judge.Open(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s, version %d, %s; SHA-256 %s\n  %s\n", s.Name, s.Version,
					cli.Count(len(s.Studies), "study", "studies"), s.SHA256, strings.TrimSpace(s.About))
			}
			return nil
		},
	}
}

// keys returns the command that makes the keys of a judge.
func keys() *cobra.Command {
	return &cobra.Command{
		Use:   "keys NAME",
		Short: "Make the keys of a judge: NAME.key, secret, and NAME.pub, for everybody",
		Long: `Makes two files. NAME.key is the owner's: it opens sealed sets and signs results, so whoever has it can read the
traces. NAME.pub is for everybody: sets are sealed for it, and signatures checked with it.`,
		Example: "  marigram judge keys judge", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			key, err := judge.NewKey()
			if err != nil {
				return cli.Failed(err)
			}
			for _, path := range []string{args[0] + ".key", args[0] + ".pub"} {
				if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s exists, expected a new name: sets that were sealed for a lost key never open", path)
				}
			}
			if err := writePair(args[0], key); err != nil {
				return cli.Failed(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written: %[1]s.key (keep it secret), %[1]s.pub\n", args[0])
			return nil
		},
	}
}

// writePair writes both files of a new key, or none.
func writePair(name string, key *judge.Key) error {
	secret, err := os.OpenFile(name+".key", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = secret.Write(key.Bytes())
	if err = errors.Join(err, secret.Sync(), secret.Close()); err == nil {
		err = atomicfile.WriteBytes(name+".pub", key.Public().Bytes())
	}
	if err != nil {
		return errors.Join(err, os.Remove(name+".key"))
	}
	return nil
}

// public reads a public key.
func public(path string) (judge.Public, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return judge.Public{}, err
	}
	p, err := judge.ParsePublic(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return p, err
}

type sealFlags struct {
	For    string `flag:"for" help:"public key of the judge, a <file> (.pub)"`
	Output string `flag:"output,o" help:"the sealed <file> to write"`
}

// sealing returns the command that seals a set.
func sealing() *cobra.Command {
	var f sealFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "seal SET",
		Short: "Encrypt a set, with its traces, for the owner of a judge's key",
		Long: `Encrypts a set, a folder with set.yaml and its specs, and the traces that these name, for the owner of a key.
What everybody can read of the file is the set's name, version, text and SHA-256. Encryption is HPKE
(RFC 9180) with X25519, HKDF-SHA256 and AES-256-GCM.`,
		Example: "  marigram judge seal hidden --for judge.pub -o hidden.sealed", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.For == "" || f.Output == "" {
				return errors.New("expected --for, a public key, and --output, a file")
			}
			key, err := public(f.For)
			if err != nil {
				return err
			}
			s, err := judge.Open(args[0])
			if err != nil {
				return err
			}
			text, err := s.Seal(key)
			if err != nil {
				return err
			}
			h, err := judge.ReadHeader(text)
			if err == nil {
				err = store.WriteBytes(context.Background(), f.Output, text)
			}
			if err != nil {
				return cli.Failed(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written: %s, set %s, version %d; SHA-256 %s\n", f.Output, h.Name, h.Version, h.SHA256)
			return nil
		},
	}, &f)
}

type verifyFlags struct {
	By  string `flag:"by" help:"public key of the judge, a <file> (.pub)"`
	Set string `flag:"set" help:"the set that it must be by: a name, a folder or a sealed <file>"`
}

// verify returns the command that checks a result.
func verify() *cobra.Command {
	var f verifyFlags
	return cli.WithFlags(&cobra.Command{
		Use:   "verify RESULT",
		Short: "Check that a result is signed by a judge, and by which set it is",
		Long: `Checks the signature of a result (marigram judge --key -o), and with --set that it is by that sealed set. Without
--by it says only that whoever has the key that the result names has signed it.`,
		Example: "  marigram judge verify result.json --by judge.pub --set hidden.sealed", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.verify(cmd, args[0])
		},
	}, &f)
}

func (f *verifyFlags) verify(cmd *cobra.Command, path string) error {
	text, err := readSealed(path)
	if err != nil {
		return err
	}
	var key *judge.Public
	if f.By != "" {
		p, err := public(f.By)
		if err != nil {
			return err
		}
		key = &p
	}
	var r judge.Result
	signer, err := judge.Verify(text, key, &r)
	if err != nil {
		return cli.Failed(fmt.Errorf("%s: %w", path, err))
	}
	if f.Set != "" {
		sum, err := sumOf(f.Set)
		if err != nil {
			return err
		}
		if sum != r.Set.SHA256 {
			return cli.Failed(fmt.Errorf("%s is by a set with the SHA-256 %s, not %s", path, r.Set.SHA256, sum))
		}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "signed by %s\nset %s, version %d; SHA-256 %s\n", base64.StdEncoding.EncodeToString(signer), r.Set.Name,
		r.Set.Version, r.Set.SHA256)
	for i := range r.Policies {
		if p := &r.Policies[i]; p.Entry != nil && p.Place != nil {
			fmt.Fprintf(cmd.OutOrStdout(), "policy %s: rank %d (%s), score %.3f; SHA-256 %s\n", p.Policy, p.Rank, ranks(p.Place), p.Score, p.Entry.SHA256)
		}
	}
	return nil
}

// sumOf is the checksum of a set, which a sealed one says itself.
func sumOf(name string) (string, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		text, err := readSealed(name)
		if err != nil {
			return "", err
		}
		h, err := judge.ReadHeader(text)
		return h.SHA256, err
	}
	s, err := judge.Open(name)
	if err != nil {
		return "", err
	}
	return s.SHA256, nil
}

func ranks(p *intervals.Place) string {
	if p.RankLow == p.RankTop {
		return fmt.Sprint(p.RankLow)
	}
	return fmt.Sprintf("%d to %d", p.RankLow, p.RankTop)
}

const maxSealed = 1 << 30 // bytes

func readSealed(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSealed {
		return nil, fmt.Errorf("%s: expected a regular file of at most %d bytes", name, maxSealed)
	}
	return os.ReadFile(name)
}
