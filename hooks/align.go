package hooks

// How the messages that a hook gives back are matched to those that it read:
//
//   - messages that are the same anchor the two lists to each other (their
//     longest common subsequence);
//   - between anchors, messages of the same role pair up in order, the most
//     alike first: the second is a rewriting of the first;
//   - what is left over was removed from the one list, or added in the other.

import (
	"minigem/hooks/protocol"
	"minigem/llm"
)

// editMessages finds the edits that make list what a hook gave back. Messages
// of role system are not part of it: they go to the system instruction.
func editMessages(list []llm.Message, got []protocol.LLMMessage, a *answer) messageEdits {
	edits := messageEdits{replace: map[int]llm.Message{}, remove: map[int]bool{}, insert: map[int][]llm.Message{}}
	var talk []protocol.LLMMessage
	for _, m := range got {
		if m.Role != "system" {
			talk = append(talk, m)
		} else if text := m.Content(); text != "" {
			edits.system = append(edits.system, text)
			a.note("adds to the system instruction")
		}
	}
	read := make([]protocol.LLMMessage, len(list))
	for i, m := range list {
		read[i] = hookMessage(m)
	}
	old := partsByID(list)
	at := 0
	for _, p := range pairUp(read, talk) {
		switch {
		case p.was < 0:
			if m := newMessage(talk[p.is], old, a); len(m.Parts) > 0 {
				edits.insert[at] = append(edits.insert[at], m)
				a.note("adds a %s message before messages[%d]", m.Role, at)
			}
			continue
		case p.is < 0:
			edits.remove[p.was] = true
			a.note("removes messages[%d]", p.was)
		case !p.same:
			edits.replace[p.was] = rewriteMessage(list[p.was], talk[p.is], old, a)
			a.note("rewrites messages[%d]", p.was)
		}
		at = p.was + 1
	}
	return edits
}

// pair holds the indices of two matching messages, one in each list. -1 means that the
// message has no partner in that list. same says that nothing differs.
type pair struct {
	was, is int
	same    bool
}

// pairUp lists the pairs in the order of both lists. Equal messages at both ends are
// paired first, since most changes are in the middle and this costs little.
func pairUp(was, is []protocol.LLMMessage) []pair {
	a, b := keys(was), keys(is)
	var out []pair
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		out = append(out, pair{lo, lo, true})
		lo++
	}
	n, m := len(a), len(b)
	for n > lo && m > lo && a[n-1] == b[m-1] {
		n, m = n-1, m-1
	}
	i, j := lo, lo
	for _, anchor := range common(n-lo, m-lo, func(x, y int) float64 {
		if a[lo+x] == b[lo+y] {
			return 1
		}
		return 0
	}) {
		out = pairGap(out, was, is, i, lo+anchor.was, j, lo+anchor.is)
		out = append(out, pair{lo + anchor.was, lo + anchor.is, true})
		i, j = lo+anchor.was+1, lo+anchor.is+1
	}
	out = pairGap(out, was, is, i, n, j, m)
	for k := range len(a) - n {
		out = append(out, pair{n + k, m + k, true})
	}
	return out
}

// pairGap pairs was[i:n] and is[j:m], in which nothing is the same. Messages of
// different roles never pair. If there are many, their texts are not compared.
func pairGap(out []pair, was, is []protocol.LLMMessage, i, n, j, m int) []pair {
	large := (n-i)*(m-j) > 2500
	rewrites := common(n-i, m-j, func(x, y int) float64 {
		w, s := was[i+x], is[j+y]
		switch {
		case w.Role != s.Role:
			return 0
		case large:
			return 1
		}
		return 1 + likeness(w.Content(), s.Content())
	})
	x, y := i, j
	alone := func(toX, toY int) {
		for ; x < toX; x++ {
			out = append(out, pair{x, -1, false})
		}
		for ; y < toY; y++ {
			out = append(out, pair{-1, y, false})
		}
	}
	for _, r := range rewrites {
		alone(i+r.was, j+r.is)
		out = append(out, pair{x, y, false})
		x, y = x+1, y+1
	}
	alone(n, m)
	return out
}

// common returns the heaviest common subsequence of two lists of n and m entries, as
// pairs of indices. score is 0 for entries that cannot pair. Very long lists are paired
// first come, first served.
func common(n, m int, score func(x, y int) float64) []pair {
	if n == 0 || m == 0 {
		return nil
	}
	if n*m > 4_000_000 {
		return firstCome(n, m, score)
	}
	best := make([]float64, (n+1)*(m+1)) // of the lists from x and y on
	at := func(x, y int) *float64 { return &best[x*(m+1)+y] }
	for x := n - 1; x >= 0; x-- {
		for y := m - 1; y >= 0; y-- {
			b := max(*at(x+1, y), *at(x, y+1))
			if s := score(x, y); s > 0 {
				b = max(b, s+*at(x+1, y+1))
			}
			*at(x, y) = b
		}
	}
	var out []pair
	for x, y := 0, 0; x < n && y < m; {
		switch {
		case *at(x, y) == *at(x+1, y):
			x++
		case *at(x, y) == *at(x, y+1):
			y++
		default:
			out = append(out, pair{x, y, false})
			x, y = x+1, y+1
		}
	}
	return out
}

// firstCome pairs each entry of the first list with the next fitting one among fifty of
// the second, in time linear in the lists.
func firstCome(n, m int, score func(x, y int) float64) []pair {
	var out []pair
	y := 0
	for x := range n {
		for k := y; k < min(m, y+50); k++ {
			if score(x, k) > 0 {
				out = append(out, pair{x, k, false})
				y = k + 1
				break
			}
		}
	}
	return out
}

// likeness returns, from 0 to 1, how much two texts begin and end alike.
func likeness(a, b string) float64 {
	short, long := min(len(a), len(b)), max(len(a), len(b))
	if long == 0 {
		return 1
	}
	head := 0
	for head < short && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < short-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return float64(head+tail) / float64(long)
}

// keys returns a text for each message that is equal for equal messages.
func keys(ms []protocol.LLMMessage) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = string(encode(m))
	}
	return out
}
