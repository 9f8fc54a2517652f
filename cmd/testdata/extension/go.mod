module example.org/mine

go 1.26.0

require github.com/marigram/marigram v0.0.0
