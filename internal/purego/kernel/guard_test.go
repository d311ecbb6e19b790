//go:build unix

package kernel

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/nbbnn/workbench/internal/testkit"
)

// guarded lends memory that ends, or begins, at a page which must not be touched: a read or write
// beyond is a fault.
type guarded struct {
	t     *testing.T
	atEnd bool
	mutex sync.Mutex
	maps  [][]byte
}

// pageBytes is 4096 on most systems, 16384 on a Mac with Apple silicon.
var pageBytes = os.Getpagesize()

// allocate returns length numbers between guard pages.
func (g *guarded) allocate(length int) []float32 {
	size := (length*numberBytes + pageBytes - 1) / pageBytes * pageBytes
	m, err := syscall.Mmap(-1, 0, size+2*pageBytes, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	g.mutex.Lock()
	g.maps = append(g.maps, m)
	g.mutex.Unlock()
	for _, guard := range [][]byte{m[:pageBytes], m[pageBytes+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			panic(err)
		}
	}
	at := pageBytes
	if g.atEnd {
		at += size - length*numberBytes
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&m[at])), length)
}

// copy returns values between guard pages.
func (g *guarded) copy(values []float32) []float32 {
	guarded := g.allocate(len(values))
	copy(guarded, values)
	return guarded
}

// free ends the use of the memory.
func (g *guarded) free() {
	for _, m := range g.maps {
		testkit.NoError(g.t, syscall.Munmap(m))
	}
	g.maps = nil
}

// eachSide runs a test with memory that ends at a guard page and with memory that begins at one.
// Working memory is exactly as long as asked for, and guarded too.
func eachSide(t *testing.T, test func(t *testing.T, g *guarded)) {
	for _, atEnd := range []bool{true, false} {
		t.Run(fmt.Sprintf("end=%v", atEnd), func(t *testing.T) {
			g := &guarded{t: t, atEnd: atEnd}
			memory.instead = g.allocate
			defer func() { memory.instead = nil }()
			test(t, g)
		})
	}
}

func TestConvolutionStaysInItsMemory(t *testing.T) {
	eachSet(t, func(t *testing.T, s *InstructionSet) {
		eachSide(t, func(t *testing.T, g *guarded) {
			inParts := layerSizes{1, 6, 5, 512, 232, 3, 1, 1, 1}
			for _, l := range append(slices.Clone(layers), inParts) {
				checkMemory(g, s, l)
			}
			if s.Name == Portable {
				return // its vectors are as narrow everywhere, and it takes seconds
			}
			for _, l := range dividedLayers {
				checkMemory(g, s, l)
			}
		})
	})
}

// checkMemory computes a layer between guard pages.
func checkMemory(g *guarded, s *InstructionSet, l layerSizes) {
	v := l.values()
	input, kernel, gradient := g.copy(v.input), g.copy(v.kernel), g.copy(v.gradient)
	finish := Finish{Bias: g.allocate(l.outputs), Scale: g.allocate(l.images * l.outputs),
		Rectify: true, Residual: g.allocate(len(v.gradient))}
	s.Convolve(l.forward(), finish, input, kernel, g.allocate(len(gradient)))
	s.Convolve(l.backward(), Finish{Residual: input}, gradient, kernel, g.allocate(len(input)))
	s.KernelGradient(l.forward(), input, gradient, g.allocate(len(kernel)))
	g.free()
}

func TestPassesStayInTheirMemory(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		eachSide(t, func(t *testing.T, g *guarded) {
			for _, p := range pixelSizes {
				p.resultsOf(rand.New(rand.NewPCG(49, 50)), g.allocate)
				g.free()
			}
			for _, p := range poolSizes {
				size := p.Images * p.Height * p.Width * p.Channels
				input, output := g.allocate(size), g.allocate(size/4)
				p.Maximum(output, input)
				p.MaximumGradient(g.allocate(size), output, input)
				g.free()
			}
			// channels that are no whole vectors
			for _, p := range []Pixels{{3, 7, 10}, {2, 1, 3}, {1, 5, 27}} {
				values := g.allocate(p.Images * p.Pixels * p.Channels)
				Multiply.Rows(p, values, values, g.allocate(p.Images*p.Channels))
				SumPixels(p, g.allocate(p.Images*p.Channels), values)
				SumImages(p, g.allocate(p.Channels), values)
				SumRows(g.allocate(p.Channels), values)
			}
			for length := 1; length < 40; length++ {
				odd := g.allocate(length)
				Multiply.Values(odd, odd, odd)
				Maximum.Number(odd, odd, 1)
				MultiplySign(odd, odd, odd)
				Descent{}.Step(odd, g.allocate(length), g.allocate(length))
			}
			g.free()
		})
	})
}
