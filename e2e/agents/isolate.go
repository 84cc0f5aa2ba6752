package agents

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"minigem/e2e/agents/isolated"
	"minigem/internal/confine"
	"minigem/internal/proc"
)

// Isolation says how agents are isolated on this system.
type Isolation struct {
	Namespaces bool   // agents have their own network and processes
	Why        string // why there are no namespaces, so that proxies refuse connections instead
}

// String describes the isolation on one line.
func (i Isolation) String() string {
	if i.Namespaces {
		return "own network (loopback alone), own processes"
	}
	return "proxies that refuse (" + i.Why + "): a program that asks no proxy reaches the network"
}

// room is the environment in which one agent runs: a server for its model, and nothing
// else to reach.
type room struct {
	url     string
	handler http.Handler
	how     Isolation
	home    string // of the agent: a process with this HOME belongs to the agent
	rules   confine.Rules
	leaves  []string // parts of command lines of processes that it is known to leave running

	mu    sync.Mutex
	asked []string // hosts that the agent tried to reach
	stops []func()
	proxy string
}

// ended is the result of a program in a room.
type ended struct {
	proc.Result
	Left []string // processes that it left running and that were ended
}

// errNoRoom means that nothing is started, because the restrictions cannot be enforced.
var errNoRoom = errors.New("the agent cannot be isolated")

// openRoom opens a room in which handler serves the room's url.
func openRoom(how Isolation, home string, rules confine.Rules, handler http.Handler) (*room, error) {
	r := &room{handler: handler, how: how, home: home, rules: rules, url: insideURL}
	if how.Namespaces {
		r.rules.Network = confine.OwnNetwork
		return r, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	r.url = "http://" + l.Addr().String()
	r.serve(l)
	p, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.close()
		return nil, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	r.proxy = "http://" + p.Addr().String()
	go r.refuse(p)
	r.rules.Network, r.rules.Ports = confine.TCPPorts, []uint16{port(l), port(p)}
	r.stops = append(r.stops, func() { p.Close() })
	return r, nil
}

func port(l net.Listener) uint16 {
	a, _ := l.Addr().(*net.TCPAddr) // it is a TCP listener
	return uint16(a.Port)
}

func (r *room) serve(l net.Listener) {
	server := &http.Server{Handler: r.handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // it returns the error of Close
	r.stops = append(r.stops, func() { _ = server.Close() })
}

func (r *room) close() {
	for _, stop := range r.stops {
		stop()
	}
	r.stops = nil
}

// environment returns the variables that a program needs in the room.
func (r *room) environment() []string {
	if r.proxy == "" {
		return nil
	}
	var env []string
	for _, name := range strings.Fields("HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy") {
		env = append(env, name+"="+r.proxy)
	}
	return append(env, "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
}

// refusal is how long a proxy waits before it refuses. Some agents retry at once, a
// hundred thousand times a minute.
const refusal = 200 * time.Millisecond

// refuse answers like a proxy that cannot reach any host.
func (r *room) refuse(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				r.note(req.Host)
			}
			time.Sleep(refusal)
			fmt.Fprint(conn, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}()
	}
}

// note records that the agent tried to reach host.
func (r *room) note(host string) {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.asked, host) && len(r.asked) < 100 {
		r.asked = append(r.asked, host)
	}
}

// wanted returns the recorded hosts, sorted.
func (r *room) wanted() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.asked))
}

// answerNames answers every DNS query with "no such name" and records the name.
func (r *room) answerNames(conn net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if reply := r.reply(buf[:n]); reply != nil {
			_, _ = conn.WriteTo(reply, from)
		}
	}
}

// reply returns the NXDOMAIN answer to a DNS query (RFC 1035).
func (r *room) reply(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || m.Response || len(m.Questions) == 0 {
		return nil
	}
	r.note(m.Questions[0].Name.String())
	m = dnsmessage.Message{Questions: m.Questions[:1], Header: dnsmessage.Header{
		ID: m.ID, Response: true, RecursionDesired: true, RecursionAvailable: true, RCode: dnsmessage.RCodeNameError}}
	reply, _ := m.Pack() // the question was unpacked
	return reply
}

// run runs a program in the room and ends what it leaves running.
func (r *room) run(ctx context.Context, c proc.Command) (ended, error) {
	c.Env = append(slices.Clone(c.Env), r.environment()...)
	c.Grace = 500 * time.Millisecond
	if r.how.Namespaces {
		return r.runInside(ctx, c)
	}
	d, err := confine.Open(r.rules)
	if err != nil {
		return ended{}, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	defer d.Close()
	c.Within = d.Start
	p, err := proc.Start(c)
	if err != nil {
		return ended{}, err
	}
	res := ended{Result: p.Wait(ctx)}
	for end := time.Now().Add(isolated.Grace); ; time.Sleep(10 * time.Millisecond) {
		res.Left = nil
		for _, pid := range slices.Concat(p.Members(), withHome(r.home)) {
			if name := nameOf(pid); name != "" {
				res.Left = append(res.Left, name)
			}
		}
		if time.Now().After(end) || !slices.ContainsFunc(res.Left, func(name string) bool {
			return !containsAny(name, r.leaves)
		}) {
			break
		}
	}
	p.Stop()
	endAll(withHome(r.home))
	return res, nil
}

// containsAny reports whether text contains one of parts.
func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// endAll ends processes that have left every process group.
func endAll(pids []int) {
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have exited by itself
		}
	}
}
