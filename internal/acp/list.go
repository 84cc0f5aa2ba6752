package acp

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"minigem/internal/app"
	"minigem/internal/text"
	"minigem/session"
)

// mostListed is the maximum number of sessions in one answer.
const mostListed = 100

// ListSessions implements acp.Agent. It lists the saved sessions of a folder, the
// latest first. Without a folder, it lists those of all folders with an open session,
// and of the folder in which the editor started minigem.
func (s *server) ListSessions(_ context.Context, p acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return guarded(func() (acp.ListSessionsResponse, error) {
		dirs := s.folders()
		if p.Cwd != nil {
			info, err := os.Stat(*p.Cwd)
			if !filepath.IsAbs(*p.Cwd) || err != nil || !info.IsDir() {
				return acp.ListSessionsResponse{}, wrong("cwd is %q: it must be the absolute path of a folder", *p.Cwd)
			}
			dirs = []string{filepath.Clean(*p.Cwd)}
		}
		all := s.saved(dirs)
		if p.Cursor != nil {
			last, err := atCursor(*p.Cursor)
			if err != nil {
				return acp.ListSessionsResponse{}, err
			}
			all = slices.DeleteFunc(all, func(one savedSession) bool { return one.compare(last) <= 0 })
		}
		out := acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
		if len(all) > mostListed {
			all = all[:mostListed]
			next := all[mostListed-1].cursor()
			out.NextCursor = &next
		}
		for _, one := range all {
			title, updated := text.VisibleLine(one.info.Title), one.info.Updated.UTC().Format(time.RFC3339)
			out.Sessions = append(out.Sessions, acp.SessionInfo{SessionId: acp.SessionId(one.info.ID), Cwd: one.dir,
				Title: &title, UpdatedAt: &updated})
		}
		return out, nil
	})
}

// folders returns the folder minigem was started in, and the folders of the open sessions.
func (s *server) folders() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := []string{s.sys.Dir}
	for _, c := range s.sessions {
		dirs = append(dirs, c.r.Config.Dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// savedSession is a saved session and its folder.
type savedSession struct {
	dir  string
	info session.Info
}

// compare orders sessions, the latest first.
func (a savedSession) compare(b savedSession) int {
	return cmp.Or(b.info.Updated.Compare(a.info.Updated), cmp.Compare(a.info.ID, b.info.ID))
}

// cursor identifies a as the last session of a page. It is not an index, because a
// session that begins before the next page is requested would shift it.
func (a savedSession) cursor() string {
	return a.info.Updated.UTC().Format(time.RFC3339Nano) + " " + a.info.ID
}

// atCursor returns a session that sorts where the cursor's session did.
func atCursor(cursor string) (savedSession, error) {
	when, id, _ := strings.Cut(cursor, " ")
	updated, err := time.Parse(time.RFC3339Nano, when)
	if err != nil || id == "" {
		return savedSession{}, wrong("the cursor %q is not from session/list", cursor)
	}
	return savedSession{info: session.Info{ID: id, Updated: updated}}, nil
}

func (s *server) saved(dirs []string) []savedSession {
	var all []savedSession
	for _, dir := range dirs {
		sys, flags := *s.sys, *s.flags
		sys.Dir = dir
		var infos []session.Info
		config, err := app.Configure(&sys, &flags)
		if err == nil {
			if project, there := session.FindProject(config.DotGemini, config.Dir); there {
				infos, err = session.List(project)
			}
		}
		if err != nil { // list what can be read
			fmt.Fprintf(s.sys.Stderr, "[WARNING] listing the sessions of %s: %v\n", dir, err)
		}
		for _, i := range infos {
			all = append(all, savedSession{dir, i})
		}
	}
	slices.SortFunc(all, savedSession.compare)
	return all
}
