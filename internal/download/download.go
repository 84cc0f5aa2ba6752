// Package download waits for servers that others chose: it reports what it is waiting for,
// and gives up on a server that sends almost nothing.
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"minigem/internal/proc"
	"minigem/internal/silence"
	"minigem/internal/text"
)

// Wait configures how long a download waits and how it reports that.
type Wait struct {
	Limit time.Duration     // how long a server may send less than rate; 0 means [silence.Default]
	Say   func(line string) // reports progress; may be nil
}

const (
	rate   = 1000 // bytes a second, as for [proc.Git]
	first  = 3 * time.Second
	repeat = 15 * time.Second
)

// do calls get, which requests something from the server at address. size returns the
// number of bytes received so far.
func (w Wait) do(ctx context.Context, address string, size func() int64, get func(context.Context) error) error {
	limit, server := cmp.Or(w.Limit, silence.Default), host(address)
	ctx, giveUp := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		began, had := time.Now(), size()
		say, slow := time.NewTimer(first), time.NewTicker(limit)
		defer say.Stop()
		defer slow.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-say.C:
				say.Reset(repeat)
				if w.Say != nil {
					took := time.Since(began).Round(time.Second)
					w.Say(fmt.Sprintf("waiting for %s ... %v, %d KiB so far", server, took, size()>>10))
				}
			case <-slow.C:
				if has := size(); has-had >= int64(limit.Seconds()*rate) {
					had = has
					continue
				}
				giveUp(silence.Err)
				return
			}
		}
	}()
	err := get(ctx)
	gaveUp := errors.Is(context.Cause(ctx), silence.Err)
	giveUp(nil)
	<-watched
	switch {
	case err == nil:
	case gaveUp:
		return fmt.Errorf("%s sent almost nothing for %v"+advice, server, limit)
	case errors.As(err, new(*url.Error)), strings.Contains(err.Error(), "unable to access"): // git's message
		return fmt.Errorf("%w"+advice, err)
	}
	return err
}

const advice = ": check the network and the proxy, or get the files in another way and install their folder"

// host returns the name of the server at address.
func host(address string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(address, "git@"), ":")
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		name = u.Host
	}
	return text.VisibleLine(name)
}

// HTTP sends req and calls read with the response.
func (w Wait) HTTP(req *http.Request, read func(*http.Response) error) error {
	var n atomic.Int64
	return w.do(req.Context(), req.URL.String(), n.Load, func(ctx context.Context) error {
		res, err := http.DefaultClient.Do(req.WithContext(ctx))
		if err != nil {
			return err
		}
		defer res.Body.Close()
		res.Body = counted{res.Body, &n}
		return read(res)
	})
}

type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Git runs git like [proc.Git]. git must contact the server at address and write below
// c.Dir.
func (w Wait) Git(ctx context.Context, c proc.Command, address string, args ...string) (out string, err error) {
	size := func() (n int64) {
		_ = filepath.Walk(c.Dir, func(_ string, info fs.FileInfo, err error) error {
			if err == nil { // else it was renamed meanwhile
				n += info.Size()
			}
			return nil
		})
		return n
	}
	return out, w.do(ctx, address, size, func(ctx context.Context) error {
		out, err = proc.Git(ctx, c, args...)
		return err
	})
}
