module github.com/nbbnn/workbench/tools/site

go 1.27.4

require (
	github.com/nbbnn/workbench v0.0.0
	github.com/wyatt915/treeblood v0.1.16
	github.com/yuin/goldmark v1.8.7
)

require (
	github.com/gofrs/flock v0.13.2 // indirect
	golang.org/x/image v0.48.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/nbbnn/workbench => ../..
