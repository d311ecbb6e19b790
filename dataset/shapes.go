package dataset

import "math"

// shape is a figure about as large as the unit disc.
type shape struct {
	name     string
	reach    float64                // radius of a disc that holds it
	distance func(p vector) float64 // signed distance from a point to the outline: negative inside, positive outside
}

// The ten classes of Shapes10, in the order of their labels. Neighbours are easily confused when they are faint or half
// hidden: disc, ring and crescent; heart, triangle and arrow; square, hexagon and disc; star and cross.
var shapeClasses = []shape{
	{"disc", 0.9, disc},
	{"ring", 1, ring},
	{"crescent", 1, crescent},
	{"heart", 1.1, heart},
	{"triangle", 1.1, triangle.distance},
	{"square", 1.1, square.distance},
	{"hexagon", 1, hexagon.distance},
	{"star", 1.2, star.distance},
	{"cross", 1.1, cross.distance},
	{"arrow", 1.1, arrow.distance},
}

// bar is a long strip, no class but something in the way.
var bar = shape{"bar", 4.1, strip}

var (
	triangle = newPolygon(vector{0, -1.05}, vector{0.91, 0.52}, vector{-0.91, 0.52})
	square   = newPolygon(vector{-0.76, -0.76}, vector{0.76, -0.76}, vector{0.76, 0.76}, vector{-0.76, 0.76})
	hexagon  = newPolygon(vector{0.93, 0}, vector{0.465, 0.805}, vector{-0.465, 0.805},
		vector{-0.93, 0}, vector{-0.465, -0.805}, vector{0.465, -0.805})
	star = newPolygon(vector{0, -1.1}, vector{0.282, -0.388}, vector{1.046, -0.340}, vector{0.457, 0.148}, vector{0.647, 0.890},
		vector{0, 0.48}, vector{-0.647, 0.890}, vector{-0.457, 0.148}, vector{-1.046, -0.340}, vector{-0.282, -0.388})
	cross = newPolygon(vector{-0.32, -1}, vector{0.32, -1}, vector{0.32, -0.32}, vector{1, -0.32},
		vector{1, 0.32}, vector{0.32, 0.32}, vector{0.32, 1}, vector{-0.32, 1},
		vector{-0.32, 0.32}, vector{-1, 0.32}, vector{-1, -0.32}, vector{-0.32, -0.32})
	arrow = newPolygon(vector{0, -1.05}, vector{0.88, 0}, vector{0.36, 0}, vector{0.36, 1},
		vector{-0.36, 1}, vector{-0.36, 0}, vector{-0.88, 0})
	heartBody = newPolygon(vector{0, 0.95}, vector{-0.82, 0.13}, vector{0, -0.69}, vector{0.82, 0.13})
)

// disc is a full circle.
func disc(p vector) float64 { return p.length() - 0.86 }

// ring is a disc with a concentric hole.
func ring(p vector) float64 { return math.Abs(p.length()-0.72) - 0.25 }

// crescent is a disc with a smaller one cut from its side.
func crescent(p vector) float64 {
	return max(p.length()-1, 0.8-p.minus(vector{0.45, 0}).length())
}

// heart is a square on its corner with half a disc on each upper side.
func heart(p vector) float64 {
	lobe := vector{math.Abs(p.x), p.y}.minus(vector{0.41, -0.28}).length() - 0.58
	return min(lobe, heartBody.distance(p))
}

// strip is a long thin rectangle; beyond its corners the distance is that along the nearer axis, which is a little short.
func strip(p vector) float64 { return max(math.Abs(p.x)-4, math.Abs(p.y)-0.16) }
