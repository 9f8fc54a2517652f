package report

import "testing"

// Only markup gets into a page as it is, whatever the type of a text.
func TestPutEscapes(t *testing.T) {
	type name string
	w := &webPage{}
	w.put("%s|%s|%v|%d|%s", `<a href='x'>"&amp;"`, name("<b>"), []string{"<i>"}, 7, markup("<em>"))
	if got, want := w.String(), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;amp;&quot;|&lt;b&gt;|[&lt;i&gt;]|7|<em>"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}
