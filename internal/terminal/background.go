package terminal

import (
	"bytes"
	"strconv"
	"strings"
)

// askBackground asks the terminal for its background colour (OSC 11). The answer
// arrives like typed keys, at any time or never, and nothing waits for it.
const (
	askBackground   = "\x1b]11;?\x1b\\"
	backgroundStart = "\x1b]11;"
	longBackground  = 64 // a longer one is something else
)

// expectBackground makes the keyboard filter an answer to askBackground out of the
// input. It calls light with the result, without holding a lock.
func (k *keyboard) expectBackground(light func(bool)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.light = light
}

// isBackground reports whether b begins with an answer, or with the start of one.
func isBackground(b []byte) bool {
	n := min(len(b), len(backgroundStart))
	return n > 1 && string(b[:n]) == backgroundStart[:n]
}

// background consumes the answer at the start of k.raw and returns its length, or 0 if
// it is incomplete.
func (k *keyboard) background() int {
	end := bytes.IndexAny(k.raw[2:], "\a\x1b")
	switch {
	case end < 0 && len(k.raw) < longBackground:
		return 0
	case end < 0:
		return len(k.raw)
	}
	end += 2
	n := end + 1
	if k.raw[end] == keyEscape[0] {
		if n++; len(k.raw) < n {
			return 0
		}
	}
	light := k.light
	if yes, ok := isLight(string(k.raw[len(backgroundStart):end])); ok {
		k.light = nil
		k.after = append(k.after, func() { light(yes) })
	}
	return n
}

// isLight parses a colour as terminals report it, such as rgb:ffff/ffff/ffff.
func isLight(colour string) (light, ok bool) {
	_, values, ok := strings.Cut(colour, ":")
	parts := strings.Split(values, "/")
	if !ok || len(parts) < 3 {
		return false, false
	}
	bright := 0.0
	for i, weight := range []float64{0.299, 0.587, 0.114} { // of red, green and blue, as eyes see them
		n, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil {
			return false, false
		}
		bright += weight * float64(n) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	return bright > 0.5, true
}
