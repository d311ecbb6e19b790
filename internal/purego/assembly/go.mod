module github.com/nbbnn/workbench/internal/purego/assembly

go 1.27.4

require github.com/mmcloughlin/avo v0.6.0

require (
	golang.org/x/mod v0.38.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/tools v0.48.0 // indirect
)
