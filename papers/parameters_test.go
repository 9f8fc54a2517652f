package papers

import "testing"

func TestParameters(t *testing.T) {
	f := &Spec{Name: "a/b", Given: []byte("boot_s: 30\nname: x\non: true\ncases:\n  - {p: 0.5, n: 0}\n")}
	list, err := f.Parameters()
	if err != nil || len(list) != 2 || list[0].Path != "boot_s" && list[1].Path != "boot_s" {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, p := range list {
		changed, err := f.With(i, p.Value*2)
		if err != nil {
			t.Fatal(err)
		}
		var in struct {
			Boot  int    `json:"boot_s"`
			Name  string `json:"name"`
			On    bool   `json:"on"`
			Cases []struct {
				P float64 `json:"p"`
				N int     `json:"n"`
			} `json:"cases"`
		}
		if err := changed.Inputs(&in); err != nil {
			t.Fatal(err)
		}
		boot, share := 30, 0.5
		if p.Path == "boot_s" {
			boot = 60
		} else {
			share = 1
		}
		if in.Boot != boot || in.Cases[0].P != share || in.Name != "x" || !in.On {
			t.Errorf("%s: %+v", p.Path, in)
		}
	}
}
