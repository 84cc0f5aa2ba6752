package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"minigem/internal/boundedfile"
	"minigem/transcript"
)

// Retention says how long sessions are kept: the setting general.sessionRetention
// (cli/utils/sessionCleanup.ts). A period is a number from 1 to 65535 and a unit: h, d, w
// or m (30 days). The zero Retention keeps sessions for 30 days.
type Retention struct {
	// Enabled is nil for true. With false nothing is deleted.
	Enabled *bool `json:"enabled,omitempty"`
	// MaxAge is empty for "30d", or for any age if MaxCount is set. It counts from the
	// last change and may not be shorter than MinRetention.
	MaxAge string `json:"maxAge,omitempty"`
	// MaxCount is the number of sessions that stay, the newest; nil means any number.
	MaxCount *int `json:"maxCount,omitempty"`
	// MinRetention is empty for "1d". Nothing younger is ever deleted.
	MinRetention string `json:"minRetention,omitempty"`
}

// limits is a Retention that has been read, with its defaults.
type limits struct {
	age   time.Duration // 0: unlimited
	count int           // 0: unlimited
	min   time.Duration
}

// limits reads the periods and fills in the defaults.
func (r Retention) limits() (limits, error) {
	var l limits
	var err error
	if l.min, err = period(cmp.Or(r.MinRetention, "1d")); err != nil {
		return l, fmt.Errorf("minRetention: %w", err)
	}
	maxAge := r.MaxAge
	if r.MaxCount == nil {
		maxAge = cmp.Or(maxAge, "30d")
	} else if l.count = *r.MaxCount; l.count < 1 {
		return l, fmt.Errorf("maxCount: %d is less than 1", l.count)
	}
	if maxAge == "" {
		return l, nil
	}
	if l.age, err = period(maxAge); err != nil {
		return l, fmt.Errorf("maxAge: %w", err)
	}
	if l.age < l.min {
		return l, fmt.Errorf("maxAge: %s is less than minRetention", maxAge)
	}
	return l, nil
}

// units are the units of a period. A month has 30 days, as in Gemini CLI.
var units = map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour,
	'm': 30 * 24 * time.Hour}

// period reads a number and a unit, such as "30d". The number is at most 65,535.
func period(s string) (time.Duration, error) {
	if len(s) >= 2 {
		unit := units[s[len(s)-1]]
		n, err := strconv.ParseUint(s[:len(s)-1], 10, 16)
		if err == nil && n > 0 && unit > 0 {
			return time.Duration(n) * unit, nil
		}
	}
	return 0, fmt.Errorf(`%q is not a period: write a number and h, d, w or m, such as "30d"`, s)
}

// Check returns what is wrong with r, with the name of the setting, or nil.
func (r Retention) Check() error {
	if _, err := r.limits(); err != nil {
		return fmt.Errorf("reading general.sessionRetention: %w", err)
	}
	return nil
}

// Clean deletes sessions of p with the outputs of their tools: those that are older
// than r allows or exceed its number, and those that are empty or unreadable. It keeps
// the session current, those that are open in any process and those younger than
// r.MinRetention. It returns the paths of the deleted files and, joined, the errors of
// those that could not be deleted. If r is invalid it deletes nothing. It stops when
// ctx ends. now is the time by which ages count.
func Clean(ctx context.Context, p Project, r Retention, current string, now time.Time) ([]string, error) {
	if r.Enabled != nil && !*r.Enabled {
		return nil, nil
	}
	l, err := r.limits()
	if err != nil {
		return nil, fmt.Errorf("reading general.sessionRetention: %w", err)
	}
	var removed []string
	var faults []error
	for _, c := range candidates(ctx, p, now, l) {
		switch {
		case ctx.Err() != nil:
			return removed, errors.Join(append(faults, ctx.Err())...)
		case c.ID == current && current != "" || now.Sub(c.Updated) < l.min || transcript.InUse(c.Path):
			continue
		}
		if err := remove(p, c.Path, c.ID); err != nil {
			faults = append(faults, err)
			continue
		}
		removed = append(removed, c.Path)
	}
	return removed, errors.Join(faults...)
}

// candidates returns the sessions to delete unless an exception keeps them.
func candidates(ctx context.Context, p Project, now time.Time, l limits) []Info {
	var out, good []Info
	for _, path := range files(p.Chats()) {
		stat, err := os.Stat(path)
		if err != nil || ctx.Err() != nil {
			continue
		}
		if stat.Size() == 0 { // an empty file does not count
			out = append(out, Info{Path: path, Updated: stat.ModTime()})
			continue
		}
		if now.Sub(stat.ModTime()) < l.min {
			// Too young to be deleted; reading it would slow each start.
			good = append(good, Info{Path: path, Updated: stat.ModTime()})
			continue
		}
		f, _ := scan(p, path) // a damaged header comes with a file
		if f == nil {
			out = append(out, Info{Path: path, Updated: stat.ModTime()})
			continue
		}
		info, ok := describe(path, f)
		if info.Updated.IsZero() {
			info.Updated = stat.ModTime()
		}
		if !ok || l.age > 0 && now.Sub(info.Updated) > l.age {
			out = append(out, info)
		} else {
			good = append(good, info)
		}
	}
	slices.SortFunc(good, func(a, b Info) int { return b.Updated.Compare(a.Updated) })
	if l.count > 0 && len(good) > l.count {
		out = append(out, good[l.count:]...)
	}
	return out
}

// CleanOutputs deletes the tool outputs of sessions whose file is gone, except the
// outputs of the session current. The errors are joined.
func CleanOutputs(p Project, current string) error {
	var faults []error
	for _, dir := range boundedfile.Find(p.Temp, "tool-outputs/session-*") {
		id := filepath.Base(dir)[len("session-"):]
		if id == "" || id == current || fileOf(p, id) != "" {
			continue
		}
		faults = append(faults, os.RemoveAll(dir))
	}
	return errors.Join(faults...)
}
