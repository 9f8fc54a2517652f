package cli

import "testing"

func TestWords(t *testing.T) {
	for path, want := range map[string]string{
		"market.replay.notice_s": "replay: notice (s)", "market.pools.0.quota": "pools 0: quota", "objectives.0.within": "objectives 0: within",
		"seeds": "seeds", "market.pools.1.on_demand_usd_per_h": "pools 1: on demand (USD/h)", "policy.spotdnn.patience_s": "spotdnn: patience (s)",
		"horizon_s": "horizon (s)", "policy.varuna.save_every_steps": "varuna: save every (steps)", "_s": " s", "": "",
	} {
		if got := Words(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
