package workspace

import (
	"slices"
	"strings"
)

// index finds the rules of a file that may match a name, so that a lookup does
// not cost more with every rule. Rules are identified by their numbers in the
// file. The zero index is empty.
type index struct {
	equal  map[string][]int32
	suffix map[string][]int32 // of "*.log": ".log"
	sizes  []int              // lengths of the keys of suffix
	gram   map[gram][]int32   // for globs: letters that the path must contain
	any    []int32            // globs without such letters
}

// gram is up to three letters that follow each other.
type gram struct {
	text [3]byte
	size uint8
}

// Up to fewRules are compared one after the other, which is faster.
const fewRules = 16

// indexed splits rules into those about names and those about whole paths;
// false if there are few.
func indexed(rules []rule) (names, paths *index, ok bool) {
	if len(rules) <= fewRules {
		return nil, nil, false
	}
	names, paths = &index{}, &index{}
	for i := range rules {
		to := names
		if rules[i].path {
			to = paths
		}
		to.add(int32(i), &rules[i])
	}
	return names, paths, true
}

// add stores the rule r, whose number in the file is i, under the key that finds it.
func (x *index) add(i int32, r *rule) {
	put := func(m *map[string][]int32) {
		if *m == nil {
			*m = map[string][]int32{}
		}
		(*m)[r.text] = append((*m)[r.text], i)
	}
	switch r.how {
	case byEqual:
		put(&x.equal)
		return
	case bySuffix:
		if !slices.Contains(x.sizes, len(r.text)) {
			x.sizes = append(x.sizes, len(r.text))
		}
		put(&x.suffix)
		return
	}
	g := needed(r.text)
	if g.size == 0 {
		x.any = append(x.any, i)
		return
	}
	if x.gram == nil {
		x.gram = map[gram][]int32{}
	}
	x.gram[g] = append(x.gram[g], i)
}

// needed returns the end of the longest run of letters that every match of a glob
// contains. It ignores what is in classes, escaped or next to a slash, which "**" may
// take with it, and what is not ASCII, because bytes that are not UTF-8 match each other.
func needed(glob string) gram {
	best, at := "", 0
	for i := 0; i <= len(glob); i++ {
		if i < len(glob) && glob[i] < 0x80 && !strings.ContainsRune(`*?[\/`, rune(glob[i])) {
			continue
		}
		if run := glob[at:i]; len(run) > len(best) {
			best = run
		}
		if i == len(glob) {
			break
		}
		switch glob[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(glob, i)
		}
		at = i + 1
	}
	return gramOf(best[max(0, len(best)-3):])
}

// classEnd returns the index of the bracket that ends the class at i, or the
// end of the glob.
func classEnd(glob string, i int) int {
	for j := i + 1; j < len(glob); j++ {
		switch {
		case glob[j] == '\\':
			j++
		case glob[j] == ']':
			return j
		}
	}
	return len(glob) - 1
}

// gramOf makes a gram of s, which has at most three bytes.
func gramOf(s string) gram {
	g := gram{size: uint8(len(s))}
	copy(g.text[:], s)
	return g
}

// last returns the last rule after the one numbered after that matches text, a
// name or a path; if there is none it returns after.
func (x *index) last(text string, after int32, match func(i int32) bool) int32 {
	try := func(list []int32) {
		for n := len(list) - 1; n >= 0 && list[n] > after; n-- {
			if match(list[n]) {
				after = list[n]
			}
		}
	}
	try(x.equal[text])
	for _, n := range x.sizes {
		if n <= len(text) {
			try(x.suffix[text[len(text)-n:]])
		}
	}
	try(x.any)
	for i := 0; i < len(text) && len(x.gram) > 0; i++ {
		for n := 1; n <= 3 && i+n <= len(text); n++ {
			try(x.gram[gramOf(text[i:i+n])])
		}
	}
	return after
}
