package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"minigem/e2e/agents/isolated"
	"minigem/internal/confine"
	"minigem/internal/confine/worker"
	"minigem/internal/proc"
	"minigem/internal/stage"
)

var insideURL = "http://127.0.0.1:" + strconv.Itoa(isolated.Port)

// Isolate determines by a trial run how agents are isolated here.
var Isolate = sync.OnceValue(func() Isolation {
	r := &room{how: Isolation{Namespaces: true}, rules: confine.Rules{Attributes: true, Network: confine.OwnNetwork}}
	defer r.close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	res, err := r.runInside(ctx, proc.Command{Path: "/bin/sh", Args: []string{"-c", "exit 0"}, Dir: "/",
		Err: proc.Limit{Head: 500}})
	switch {
	case err != nil:
		return Isolation{Why: err.Error()}
	case res.ExitCode != 0:
		return Isolation{Why: strings.TrimSpace(res.Stderr.String())}
	}
	return Isolation{Namespaces: true}
})

// runInside runs a program in new namespaces: see package isolated.
func (r *room) runInside(ctx context.Context, c proc.Command) (ended, error) {
	dir, remove, err := stage.Temp() // short: the path of a socket has at most 107 bytes
	if err != nil {
		return ended{}, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	defer remove()
	resolv := filepath.Join(dir, "resolv.conf")
	if err := os.WriteFile(resolv, []byte("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), 0o644); err != nil {
		return ended{}, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	socket := filepath.Join(dir, "s")
	waiting, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return ended{}, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	defer waiting.Close()
	rules, err := json.Marshal(r.rules)
	if err != nil {
		return ended{}, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	c.Confine = func(argv []string, attr *os.ProcAttr) ([]string, error) {
		worker.Namespaces(attr.Sys, unix.CLONE_NEWNET|unix.CLONE_NEWPID|unix.CLONE_NEWNS|unix.CLONE_NEWIPC,
			unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE)
		return append([]string{isolated.Self, isolated.Name, socket, resolv, strings.Join(r.leaves, "\n"), string(rules)},
			argv...), nil
	}
	p, err := proc.Start(c)
	if err != nil {
		return ended{}, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	left := make(chan []string, 1)
	go func() { left <- r.host(waiting) }()
	res := ended{Result: p.Wait(ctx)}
	p.Stop() // killing the first process ends all others of the namespace
	waiting.Close()
	res.Left = <-left
	return res, nil
}

// host receives the sockets of the namespaces, serves on them, and returns what was still
// running when the agent had exited.
func (r *room) host(waiting *net.UnixListener) []string {
	conn, err := waiting.AcceptUnix()
	if err != nil {
		return nil // it exited before it connected
	}
	defer conn.Close()
	buf, rights := make([]byte, len(isolated.Hello)), make([]byte, 128)
	n, rn, _, _, err := conn.ReadMsgUnix(buf, rights)
	if err != nil || string(buf[:n]) != isolated.Hello {
		return nil
	}
	files, err := received(rights[:rn])
	if err != nil || len(files) != 2 {
		return nil
	}
	defer files[0].Close()
	defer files[1].Close()
	if l, err := net.FileListener(files[0]); err == nil {
		r.serve(l)
	}
	if names, err := net.FilePacketConn(files[1]); err == nil {
		go r.answerNames(names)
		defer names.Close()
	}
	text, err := io.ReadAll(io.LimitReader(conn, 64<<10))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(string(text), "\n")
}

// received returns the files that came with a message.
func received(rights []byte) ([]*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "socket"))
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no socket was received")
	}
	return files, nil
}

// withHome returns the processes whose HOME is home, whatever their group.
func withHome(home string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil || home == "" {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && strings.Contains("\x00"+string(env), "\x00HOME="+home+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// nameOf returns the command line of a process, or "" if it is gone.
func nameOf(pid int) string {
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	text := strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
	return text[:min(len(text), 200)]
}
