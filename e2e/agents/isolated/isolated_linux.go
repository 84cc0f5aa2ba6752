package isolated

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"minigem/internal/confine"
	"minigem/internal/confine/worker"
	"minigem/internal/sandbox/confined"
)

func init() {
	if len(os.Args) < 7 || os.Args[0] != Self || os.Args[1] != Name {
		return
	}
	code, err := run(os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "minigem: the agent was not started, because it cannot be isolated: "+err.Error())
		code = 126
	}
	os.Exit(code)
}

func run(socket, resolv, known, rules string, command []string) (int, error) {
	runtime.LockOSThread() // capabilities belong to a thread
	if err := mounts(resolv); err != nil {
		return 0, err
	}
	if err := confined.Loopback(); err != nil {
		return 0, fmt.Errorf("bringing up the loopback device: %w", err)
	}
	tcp, err := listen(unix.SOCK_STREAM, Port)
	if err != nil {
		return 0, err
	}
	dns, err := listen(unix.SOCK_DGRAM, 53)
	if err != nil {
		return 0, err
	}
	conn, err := hand(socket, tcp, dns)
	if err != nil {
		return 0, fmt.Errorf("handing over the sockets: %w", err)
	}
	d, err := domain(rules)
	if err != nil {
		return 0, err
	}
	// The agent has no more rights than minigem. Root's rights in these namespaces were
	// only needed for the lines above.
	if os.Getuid() != 0 {
		_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	}
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) // minigem signals the agent itself
	code, err := start(d, command)
	if err != nil {
		return 0, err
	}
	_, _ = unix.Write(conn, []byte(strings.Join(settled(strings.Split(known, "\n")), "\n"))) // minigem may have exited
	return code, nil
}

// mounts adapts the file system to the namespace: /proc shows only its processes, and
// names are looked up here. Name services on sockets in the file system are hidden,
// because they would be a way out.
func mounts(resolv string) error {
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	// some containers forbid it; then process ids differ
	_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if at, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil {
		if err := unix.Mount(resolv, at, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("putting a file over /etc/resolv.conf: %w", err)
		}
	}
	for _, dir := range []string{"/run/systemd/resolve", "/run/nscd", "/var/run/nscd", "/run/dbus"} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			if err := unix.Mount("none", dir, "tmpfs", 0, ""); err != nil {
				return fmt.Errorf("covering %s: %w", dir, err)
			}
		}
	}
	return nil
}

func listen(kind, port int) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, 128)
	}
	if err != nil {
		return 0, fmt.Errorf("listening on port %d: %w", port, err)
	}
	return fd, nil
}

// hand sends sockets to minigem.
func hand(socket string, fds ...int) (int, error) {
	conn, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.Connect(conn, &unix.SockaddrUnix{Name: socket}); err != nil {
		return 0, err
	}
	if err := unix.Sendmsg(conn, []byte(Hello), unix.UnixRights(fds...), nil, 0); err != nil {
		return 0, err
	}
	for _, fd := range fds {
		unix.Close(fd)
	}
	return conn, nil
}

// domain confines the agent further.
func domain(rules string) (*confine.Domain, error) {
	var r confine.Rules
	if err := json.Unmarshal([]byte(rules), &r); err != nil {
		return nil, fmt.Errorf("reading the rules: %w", err)
	}
	_, _ = os.FindProcess(os.Getpid()) // makes package os test for pidfd support, which uses a signal
	d, err := confine.Open(r)
	if err == nil && r.Attributes && len(d.Limits) > 0 {
		err = errors.New(strings.Join(d.Limits, "; "))
	}
	return d, err
}

// start runs the agent until it exits.
func start(d *confine.Domain, command []string) (int, error) {
	var p *os.Process
	err := d.Start(nil, func() (err error) {
		p, err = os.StartProcess(command[0], command, &os.ProcAttr{
			Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
			Sys: &syscall.SysProcAttr{Setsid: true},
		})
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", command[0], err)
	}
	return worker.Reap(p.Pid)
}

// settled names the processes that still run after the others had time to exit. An agent
// does not always wait for a short program that it started last. Known processes are not
// waited for.
func settled(known []string) []string {
	isKnown := func(name string) bool {
		return slices.ContainsFunc(known, func(k string) bool { return k != "" && strings.Contains(name, k) })
	}
	for end := time.Now().Add(Grace); ; time.Sleep(10 * time.Millisecond) {
		names := left()
		if time.Now().After(end) || !slices.ContainsFunc(names, func(n string) bool { return !isKnown(n) }) {
			return names
		}
	}
}

// left names the processes that still run.
func left() []string {
	entries, _ := os.ReadDir("/proc")
	var names []string
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || pid == 1 {
			continue
		}
		if line, runs := confine.CommandLine("/proc/" + e.Name()); runs {
			names = append(names, strings.ReplaceAll(line, "\n", " "))
		}
	}
	return names
}
