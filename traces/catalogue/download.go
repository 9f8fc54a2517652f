// The only place of marigram from which it goes to the network.

package catalogue

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// HTTP returns what downloads a file of at most n bytes. A nil client is one that gives a file ten
// minutes. Errors name the address and what was expected.
func HTTP(client *http.Client) func(ctx context.Context, address string, largest int64) (io.ReadCloser, error) {
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Minute}
	}
	return func(ctx context.Context, address string, largest int64) (io.ReadCloser, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return nil, fmt.Errorf("cannot be downloaded (marigram traces pull --from DIR takes a local copy): %w", err)
		}
		switch {
		case resp.StatusCode != http.StatusOK:
			err = fmt.Errorf("%s answered %s, expected 200 OK", address, resp.Status)
		case resp.ContentLength > largest:
			err = fmt.Errorf("%s says that it sends %d bytes, expected %d", address, resp.ContentLength, largest)
		}
		if err != nil {
			resp.Body.Close()
			return nil, err
		}
		return resp.Body, nil
	}
}
