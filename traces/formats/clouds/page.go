package clouds

import (
	"github.com/marigram/marigram/traces/formats/read"
)

// pageState is what has to be known of a page to judge the next.
type pageState struct {
	rows        int
	token       bool
	tokenAt     error // the complaint, placed at the token
	first, last int64 // instants of the first and the last row
}

// setToken notes the page's NextToken, which is empty where no page follows.
func (p *pageState) setToken(text string, errorf func(string, ...any) error) {
	p.token = text != ""
	p.tokenAt = errorf("NextToken %s is not empty: the page was cut and older prices are missing; "+
		"append the next page (--starting-token), "+
		"or accept the loss (--allow-truncated; allow_truncated in a spec)", read.Quote(text))
}

// seeOnPage notes the instant of a row; the command prints the newest first.
func (b *prices) seeOnPage(p *pageState, t int64) {
	if p.rows == 0 {
		p.first = t
	} else if t > p.last {
		b.Report.OutOfOrder++
	}
	p.rows++
	p.last = t
}

// fileState is what has been read of a file's pages.
type fileState struct {
	last pageState
	rows int
}

// turnPage takes a page. If the one before was cut, this has to continue it.
func (b *prices) turnPage(pages *fileState, page pageState) error {
	last := pages.last
	pages.last = page
	pages.rows += page.rows
	if last.token && (page.rows == 0 || page.first > last.last) {
		return b.CutPage(last.tokenAt)
	}
	return nil
}

// lastPage ends the file.
func (b *prices) lastPage(pages *fileState) error {
	if pages.rows == 0 {
		b.Report.EmptyFiles++
	}
	if pages.last.token {
		return b.CutPage(pages.last.tokenAt)
	}
	return nil
}
