module github.com/marigram/marigram/experiments/peers

go 1.26.0

replace github.com/marigram/marigram => ../..

require (
	github.com/marigram/marigram v0.0.0-00010101000000-000000000000
	github.com/sarchlab/akita/v4 v4.9.2
	golang.org/x/sys v0.49.0
)

require github.com/rs/xid v1.6.0 // indirect
