module example.org/steady

go 1.26.0

require github.com/marigram/marigram v0.0.0

replace github.com/marigram/marigram => ../marigram
