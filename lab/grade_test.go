package lab

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

type bestSigma = func(curvature, prior, gamma float64) float64

// solutions are right, one for each exercise.
var solutions = map[string]any{
	"one-dimension.1": posterior(slices.Max[[]float64]),
	"one-dimension.2": division(func(means, variances []float64) (data, ours float64) {
		n, mean := float64(len(means)), 0.0
		for _, m := range means {
			mean += m / n
		}
		for i, m := range means {
			data, ours = data+variances[i]/n, ours+(m-mean)*(m-mean)/n
		}
		return data, ours
	}),
	"0.1": noisyLayer(func(weights [][]float64, bias, factors, x []float64) (h []float64) {
		for i, row := range weights {
			a := bias[i]
			for j, w := range row {
				a += w * x[j]
			}
			h = append(h, a*factors[i])
		}
		return h
	}),
	"1.1": binned(func(c float64, bins int) int { return min(bins-1, int(c*float64(bins))) }),
	"2.1": relative(func(errors, baseline [][]float64) (mean float64) {
		sum := func(x []float64) (s float64) {
			for _, v := range x {
				s += v
			}
			return s
		}
		for i := range errors {
			mean += sum(errors[i]) / sum(baseline[i]) / float64(len(errors))
		}
		return mean
	}),
	"3.1": dropout(func(keep float64, random *rand.Rand) float64 {
		if random.Float64() < keep {
			return 1 / keep
		}
		return 0
	}),
	"11.1": pricing(func(confidence []float64, right []bool, price float64) (cost float64) {
		for i, c := range confidence {
			if c < 1-price {
				cost += price
			} else if !right[i] {
				cost++
			}
		}
		return cost / float64(len(confidence))
	}),
	"11.2": distance(func(probabilities []float64, label int) (score float64) {
		for class, p := range probabilities {
			if class == label {
				p--
			}
			score += p * p
		}
		return score
	}),
	"0.2": func(mu, sigma, prior float64) float64 {
		second := sigma*sigma + (mu-1)*(mu-1)
		cross := math.Log(prior*math.Sqrt(2*math.Pi)) + second/(2*prior*prior)
		return cross - math.Log(sigma*math.Sqrt(2*math.Pi*math.E))
	},
	"1.2": func(p, temperature float64) float64 {
		a, b := math.Exp(math.Log(p)/temperature), math.Exp(math.Log(1-p)/temperature)
		return a / (a + b)
	},
	"2.2": func(value, more float64) float64 {
		if value+more > 1 {
			return 1
		}
		return value + more
	},
	"3.2": func(keep float64) float64 { return math.Sqrt(1/keep - 1) },
	"4.1": func(curvature, prior, gamma float64) float64 {
		precision := (curvature + 1/(prior*prior)) / (gamma + 1)
		return 1 / math.Sqrt(precision)
	},
	"4.2": func(curvature, prior, gamma, beta float64) float64 {
		return math.Sqrt((gamma + 1) / (curvature/beta + 1/(prior*prior)))
	},
	"5.2": func(w float64) float64 { return -math.Log(math.Pow(w, w) * math.Pow(1-w, 1-w)) },
	"6.2": func(w, lambda float64) float64 { return 1 / ((w*w + lambda) / 2) },
	"7.2": func(r float64) float64 {
		return -(1-r)*math.Log(1-r) - r*math.Log(r) + r*math.Log(9)
	},
	"8.2":  func(p, q float64) float64 { return math.Log((p + q) / (2 * math.Sqrt(p*q))) },
	"9.2":  func(alarm float64) float64 { return -math.Expm1(6 * math.Log1p(-alarm)) },
	"10.2": func(share, n float64) float64 { return math.Sqrt((share - share*share) / n) },
	"5.1": mixture(func(means []float64, draws int, random *rand.Rand) (nats float64) {
		for range draws {
			x, q := means[random.IntN(len(means))]+random.NormFloat64(), 0.0
			for _, m := range means {
				q += math.Exp(-(x-m)*(x-m)/2) / math.Sqrt(2*math.Pi) / float64(len(means))
			}
			nats -= math.Log(q) / float64(draws)
		}
		return nats
	}),
	"6.1": search(func(a []float64, target, lambda float64) (g []float64) {
		square := lambda
		for _, v := range a {
			square += v * v
		}
		for _, v := range a {
			g = append(g, v*target/square)
		}
		return g
	}),
	"7.1": ranking(func(loss []float64, wrong []bool) float64 {
		ordered, pairs := 0.0, 0.0
		for i := range loss {
			for j := range loss {
				if !wrong[i] || wrong[j] {
					continue
				}
				pairs++
				switch {
				case loss[i] > loss[j]:
					ordered++
				case loss[i] == loss[j]:
					ordered += 0.5
				}
			}
		}
		return ordered / pairs
	}),
	"8.1": ensemble(func(logs [][]float64) []float64 {
		mean := make([]float64, len(logs[0]))
		for class := range mean {
			most, sum := math.Inf(-1), 0.0
			for _, member := range logs {
				most = max(most, member[class])
			}
			for _, member := range logs {
				sum += math.Exp(member[class]-most) / float64(len(logs))
			}
			mean[class] = most + math.Log(sum)
		}
		return mean
	}),
	"9.1": verdict(func(differences []float64) bool {
		return upperEnd(differences, quantiles[len(differences)]) < 0
	}),
	"10.1": corruption(func(image []float64, strength float64) []float64 {
		out := make([]float64, len(image))
		for i, x := range image {
			out[i] = min(1, max(0, x*(1+strength)))
		}
		return out
	}),
}

var quantiles = map[int]float64{2: 12.706, 5: 2.776} // of Student's t, by the number of seeds

// posterior is Bayes' rule after something is taken out of all logarithms.
func posterior(taken func(logs []float64) float64) bayes {
	return func(prior, logs []float64) (after []float64) {
		sum := 0.0
		for i, p := range prior {
			after = append(after, p*math.Exp(logs[i]-taken(logs)))
			sum += after[i]
		}
		for i := range after {
			after[i] /= sum
		}
		return after
	}
}

// binned is an ECE with a rule of the bin; a prediction in bin -1 is left out.
func binned(rule func(confidence float64, bins int) int) calibration {
	return func(confidence []float64, right []bool, bins int) (ece float64) {
		gaps := map[int]float64{}
		for i, c := range confidence {
			bin := rule(c, bins)
			if bin < 0 {
				continue
			}
			gaps[bin] += c
			if right[i] {
				gaps[bin]--
			}
		}
		for _, gap := range gaps {
			ece += math.Abs(gap) / float64(len(confidence))
		}
		return ece
	}
}

// upperEnd is the upper end of an interval of so many standard errors.
func upperEnd(differences []float64, t float64) float64 {
	n, mean, variance := float64(len(differences)), 0.0, 0.0
	for _, d := range differences {
		mean += d / n
	}
	for _, d := range differences {
		variance += (d - mean) * (d - mean) / (n - 1)
	}
	return mean + t*math.Sqrt(variance/n)
}

func TestGradeRight(t *testing.T) {
	for number := range exercises {
		if err := grade(number, solutions[number], time.Minute, os.Stdout); err != nil {
			t.Errorf("the solution of %s: %v", number, err)
		}
	}
	if !Grade("4.1", solutions["4.1"]) {
		t.Error("Grade calls a right solution wrong")
	}
}

// The mistakes that the hints are about.
func TestGradeWrong(t *testing.T) {
	for _, c := range []struct {
		number     string
		submission any
		want       string
	}{
		{"11.1", pricing(func(_ []float64, _ []bool, price float64) float64 {
			return price
		}), "the number of all answers"},
		{"11.2", distance(func(probabilities []float64, label int) float64 {
			return 2 * (1 - probabilities[label]) * (1 - probabilities[label])
		}), "it's 0.5"},
		{"one-dimension.1", bayes(func(prior, logs []float64) []float64 {
			return make([]float64, len(prior))
		}), "over all candidates"},
		{"one-dimension.1", bayes(func(prior, logs []float64) []float64 {
			return prior
		}), "needs twice the likelihood"},
		{"one-dimension.1", posterior(func([]float64) float64 { return 0 }), "before you use exp"},
		{"one-dimension.1", posterior(func(logs []float64) float64 {
			return logs[0]
		}), "not the first"},
		{"one-dimension.2", division(func(means, variances []float64) (data, ours float64) {
			return 0, 0
		}), "number of draws"},
		{"one-dimension.2", division(func(means, variances []float64) (data, ours float64) {
			for i, m := range means {
				data, ours = data+variances[i]/float64(len(means)), ours+m*m/float64(len(means))
			}
			return data, ours
		}), "equal numbers"},
		{"one-dimension.2", division(func(means, variances []float64) (data, ours float64) {
			data, ours = solutions["one-dimension.2"].(division)(means, variances)
			return data, ours * float64(len(means)) / 3
		}), "square of the mean"},
		{"0.1", noisyLayer(func(weights [][]float64, bias, factors, x []float64) []float64 {
			return make([]float64, len(bias))
		}), "the sum of a row"},
		{"0.1", noisyLayer(func(weights [][]float64, bias, factors, x []float64) []float64 {
			return solutions["0.1"].(noisyLayer)(weights, bias,
				slices.Repeat([]float64{1}, len(bias)), x)
		}), "a factor multiplies the bias, too"},
		{"1.1", calibration(func(confidence []float64, _ []bool, _ int) float64 {
			return 0
		}), "divide by the number of all predictions"},
		{"1.1", calibration(func(confidence []float64, right []bool, _ int) float64 {
			return solutions["1.1"].(calibration)(confidence, right, 1)
		}), "absolute value in each bin"},
		// the mean over bins that have answers
		{"1.1", calibration(func(confidence []float64, right []bool, bins int) float64 {
			whole, used := solutions["1.1"].(calibration), map[int][]int{}
			for i, c := range confidence {
				used[min(bins-1, int(c*float64(bins)))] = append(
					used[min(bins-1, int(c*float64(bins)))], i)
			}
			mean := 0.0
			for _, members := range used {
				var sure []float64
				var hits []bool
				for _, i := range members {
					sure, hits = append(sure, confidence[i]), append(hits, right[i])
				}
				mean += whole(sure, hits, 1) / float64(len(used))
			}
			return mean
		}), "weighs three times as much"},
		{"1.1", binned(func(c float64, bins int) int { // leaves a confidence of 1 out
			if c == 1 {
				return -1
			}
			return int(c * float64(bins))
		}), "belongs to the last bin"},
		{"1.1", binned(func(c float64, bins int) int { // has a bin more, for 1 alone
			return int(c * float64(bins))
		}), "belongs to the last bin"},
		{"2.1", relative(func(errors, baseline [][]float64) float64 {
			return 1
		}), "then take the mean"},
		{"3.1", dropout(func(keep float64, random *rand.Rand) float64 {
			return 1
		}), "kept and scaled"},
		{"3.1", dropout(func(keep float64, random *rand.Rand) float64 {
			return keep
		}), "multiplied by more than one"},
		// Gaussian dropout of equal moments
		{"3.1", dropout(func(keep float64, random *rand.Rand) float64 {
			return 1 + math.Sqrt((1-keep)/keep)*random.NormFloat64()
		}), "kept and scaled"},
		{"3.1", dropout(func(_ float64, random *rand.Rand) float64 {
			return solutions["3.1"].(dropout)(0.8, random)
		}), "probability that is given"},
		{"0.2", func(mu, sigma, prior float64) float64 { return 0 }, "log 2π, which cancels"},
		{"1.2", func(p, temperature float64) float64 { return p / temperature }, "the softmax"},
		{"2.2", func(value, more float64) float64 { return value + more }, "than white"},
		{"3.2", func(keep float64) float64 { return math.Sqrt(keep * (1 - keep)) }, "is 1/keep"},
		{"4.1", func(curvature, prior, gamma float64) float64 { return prior }, "the derivative"},
		{"4.1", func(curvature, _, gamma float64) float64 {
			return math.Sqrt((gamma + 1) / (curvature + 1/0.09))
		}, "set the derivative"},
		{"4.1", func(float64) float64 { return 0 }, "this is a func(float64) float64"},
		{"4.2", func(curvature, prior, gamma, _ float64) float64 {
			return math.Sqrt((gamma + 1) / (curvature + 1/(prior*prior)))
		}, "β multiplies"},
		{"5.2", func(w float64) float64 { return math.Log(2) }, "-w log w"},
		{"6.2", func(w, lambda float64) float64 { return 1 / (w*w + lambda) }, "1 - rate"},
		{"7.2", func(r float64) float64 {
			return -(1-r)*math.Log(1-r) - r*math.Log(r)
		}, "-log(1 - r)"},
		{"8.2", func(p, q float64) float64 { return 0 }, "the NLL of p"},
		{"9.2", func(alarm float64) float64 { return 6 * alarm }, "none of six"},
		{"10.2", func(share, n float64) float64 { return share * (1 - share) / n }, "the variance"},
		// draws of the first component
		{"5.1", mixture(func(means []float64, draws int, random *rand.Rand) (nats float64) {
			for range draws {
				x, q := means[0]+random.NormFloat64(), 0.0
				for _, m := range means {
					q += math.Exp(-(x-m)*(x-m)/2) / math.Sqrt(2*math.Pi) / float64(len(means))
				}
				nats -= math.Log(q) / float64(draws)
			}
			return nats
		}), "draw a component"},
		{"6.1", search(func(a []float64, target, lambda float64) []float64 {
			return a
		}), "g is a multiple of w"},
		{"7.1", ranking(func([]float64, []bool) float64 { return 0.5 }), "number of pairs"},
		// divides by the number of right labels
		{"7.1", ranking(func(loss []float64, wrong []bool) float64 {
			count := 0.0
			for _, w := range wrong {
				if w {
					count++
				}
			}
			return solutions["7.1"].(ranking)(loss, wrong) * count
		}), "number of pairs"},
		{"7.1", ranking(func([]float64, []bool) float64 { return 5. / 6 }), "count it with 0.5"},
		{"8.1", ensemble(func(logs [][]float64) []float64 {
			return logs[0]
		}), "not the mean of their logarithms"},
		{"9.1", verdict(func(differences []float64) bool {
			return upperEnd(differences, 1.96) < 0
		}), "wider than two standard errors"},
		{"9.1", verdict(func(differences []float64) bool {
			return slices.Max(differences) < 0
		}), "depends on how many they are"},
		{"9.1", verdict(func(differences []float64) bool { return false }), "confirms nothing"},
		{"9.1", verdict(func(differences []float64) bool { // s in place of s/sqrt(n)
			return upperEnd(differences,
				quantiles[len(differences)]*math.Sqrt(float64(len(differences)))) < 0
		}), "by the root of the number of seeds"},
		{"9.1", verdict(func(differences []float64) bool { // the variance divided by n
			n := float64(len(differences))
			return upperEnd(differences, quantiles[len(differences)]*math.Sqrt((n-1)/n)) < 0
		}), "divides by one less"},
		{"9.1", verdict(func(differences []float64) bool {
			return len(differences) > 2 && upperEnd(differences, quantiles[len(differences)]) < 0
		}), "two seeds have a t-interval, too"},
		{"10.1", corruption(func(image []float64, _ float64) []float64 {
			out := slices.Clone(image)
			out[0] = 0.1
			return out
		}), "depends on the strength"},
		{"10.1", corruption(func(image []float64, strength float64) []float64 {
			return solutions["10.1"].(corruption)(image, strength+0.1)
		}), "at this strength"},
		{"10.1", corruption(func(image []float64, strength float64) []float64 {
			image[0] = strength
			return image
		}), "write into a new slice"},
		{"1.1", func() {}, "this is a func()"},
		{"1.9", solutions["1.1"], `unknown exercise "1.9"`},
		{"0.1", noisyLayer(func(weights [][]float64, bias, factors, x []float64) []float64 {
			return bias[:99]
		}), "it panics: runtime error: slice bounds"},
		{"0.1", noisyLayer(nil), "it panics"},
	} {
		err := grade(c.number, c.submission, time.Minute, os.Stdout)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("exercise %s: %v, want %q in it", c.number, err, c.want)
		}
	}
	if Grade("4.1", bestSigma(func(curvature, prior, gamma float64) float64 { return 1 })) {
		t.Error("Grade calls a wrong solution right")
	}
}

// A submission that loops, also while it prints, is abandoned at the limit, and the rest of its
// output isn't shown.
func TestGradeLoop(t *testing.T) {
	defer func(before *os.File) { os.Stdout = before }(os.Stdout)
	for name, each := range map[string]func(){"silent": func() {}, "printing": func() {
		fmt.Println("again")
	}} {
		var output bytes.Buffer
		var stop atomic.Bool
		ended := make(chan struct{})
		loop := bestSigma(func(float64, float64, float64) float64 {
			defer close(ended)
			for !stop.Load() {
				each()
				time.Sleep(time.Microsecond)
			}
			return 0
		})
		err := grade("4.1", loop, 50*time.Millisecond, &output)
		stop.Store(true)
		<-ended
		if err == nil || !strings.Contains(err.Error(), "still at work. Go can't stop it, so the "+
			"cell ends") || output.Len() > outputLimit+100 {
			t.Errorf("a %s loop: %v after %d bytes, want an end at the limit with at most %d bytes",
				name, err, output.Len(), outputLimit)
		}
	}
}

// Of a megabyte two thousand bytes are shown, from both streams, and the submission is graded all
// the same.
func TestGradePrinting(t *testing.T) {
	var output bytes.Buffer
	stdout := os.Stdout
	loud := bestSigma(func(curvature, prior, gamma float64) float64 {
		fmt.Fprint(os.Stderr, "first ")
		fmt.Print(strings.Repeat("x", 1_000_000))
		return solutions["4.1"].(bestSigma)(curvature, prior, gamma)
	})
	if err := grade("4.1", loud, time.Minute, &output); err != nil {
		t.Errorf("a right solution that prints: %v", err)
	}
	if got := output.String(); !strings.HasPrefix(got, "first xxx") ||
		!strings.HasSuffix(got, " bytes more\n") || len(got) > outputLimit+100 {
		t.Errorf("the submission's output is %d bytes, %.20q to %q", len(got), got,
			got[max(0, len(got)-40):])
	}
	if os.Stdout != stdout {
		t.Error("the output of the program isn't its own again")
	}
}
