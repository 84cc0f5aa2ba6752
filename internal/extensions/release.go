package extensions

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"minigem/internal/boundedfile"
	"minigem/internal/text"
)

// errNoRelease means that the repository has no releases and is cloned instead.
var errNoRelease = errors.New("there is no release")

type release struct {
	Tag     string `json:"tag_name"`
	Tarball string `json:"tarball_url"`
	Assets  []struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"assets"`
}

// mostArchive limits a download, in bytes.
const mostArchive = 256 << 20

// download gets the release o.Ref, or the latest one, of a repository on GitHub.
func (m *Manager) download(ctx context.Context, o Origin, dir string) (Origin, error) {
	r, err := m.release(ctx, o)
	if err != nil {
		return o, err
	}
	address, name := r.archive()
	if address == "" {
		return o, fmt.Errorf("the release %s of %s has no archive", text.VisibleLine(r.Tag), o.Source)
	}
	data, err := m.get(ctx, address, "application/octet-stream", mostArchive)
	if err != nil {
		return o, err
	}
	if strings.HasSuffix(name, ".zip") {
		err = unzip(data, dir)
	} else {
		err = untar(data, dir)
	}
	if err == nil {
		err = errors.Join(flatten(dir), checkTree(dir))
	}
	o.Type, o.ReleaseTag = TypeRelease, r.Tag
	return o, err
}

// release requests the release that o names.
func (m *Manager) release(ctx context.Context, o Origin) (release, error) {
	owner, repo, _ := onGitHub(o.Source)
	base := cmp.Or(m.Getenv("GITHUB_API_URL"), "https://api.github.com") + "/repos/" + url.PathEscape(owner) + "/" +
		url.PathEscape(repo) + "/releases"
	path, listed := "/latest", "?per_page=1"
	switch {
	case o.Ref != "":
		path = "/tags/" + url.PathEscape(o.Ref)
	case o.AllowPreRelease:
		path = listed
	}
	const kind = "application/vnd.github+json"
	var one release
	data, err := m.get(ctx, base+path, kind, boundedfile.Kept)
	if errors.Is(err, errNoRelease) && path == "/latest" {
		path = listed
		data, err = m.get(ctx, base+path, kind, boundedfile.Kept)
	}
	if err != nil {
		return one, err
	}
	if path != listed {
		err = json.Unmarshal(data, &one)
		return one, err
	}
	var all []release
	if err = json.Unmarshal(data, &all); err == nil && len(all) == 0 {
		err = errNoRelease
	}
	return append(all, one)[0], err
}

// archive chooses what to download: an archive for this system, else one for all
// systems, else the source.
func (r release) archive() (address, name string) {
	system := map[string]string{"windows": "win32"}[runtime.GOOS]
	system = cmp.Or(system, runtime.GOOS)
	machine := map[string]string{"amd64": "x64", "386": "ia32"}[runtime.GOARCH]
	machine = cmp.Or(machine, runtime.GOARCH)
	for _, prefix := range []string{system + "." + machine + ".", system + "."} {
		for _, a := range r.Assets {
			if strings.HasPrefix(strings.ToLower(a.Name), prefix) && isArchive(a.Name) {
				return a.URL, a.Name
			}
		}
	}
	if len(r.Assets) == 1 && isArchive(r.Assets[0].Name) {
		for _, other := range []string{"linux.", "darwin.", "win32."} {
			if strings.HasPrefix(strings.ToLower(r.Assets[0].Name), other) {
				return r.Tarball, "source.tar.gz"
			}
		}
		return r.Assets[0].URL, r.Assets[0].Name
	}
	return r.Tarball, "source.tar.gz"
}

func isArchive(name string) bool {
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".zip")
}

func (m *Manager) get(ctx context.Context, address, accept string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "minigem")
	if token := m.Getenv("GITHUB_TOKEN"); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	var data []byte
	err = m.Wait.HTTP(req, func(res *http.Response) (err error) {
		switch res.StatusCode {
		case http.StatusOK:
			data, err = boundedfile.ReadAll(res.Body, address, limit)
			return err
		case http.StatusNotFound:
			return errNoRelease
		}
		return fmt.Errorf("%s answered %s; GITHUB_TOKEN raises the limits of GitHub", req.URL.Host,
			text.VisibleLine(res.Status))
	})
	if err != nil {
		return nil, fmt.Errorf("asking for releases: %w", err)
	}
	return data, nil
}

func untar(data []byte, dir string) error {
	zipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("unpacking the release: %w", err)
	}
	archive, out := tar.NewReader(zipped), newUnpacker(dir)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && h.Typeflag == tar.TypeReg {
			err = out.file(h.Name, archive, h.FileInfo().Mode())
		}
		if err != nil {
			return fmt.Errorf("unpacking the release: %w", err)
		}
	}
}

func unzip(data []byte, dir string) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("unpacking the release: %w", err)
	}
	out := newUnpacker(dir)
	for _, f := range archive.File {
		if !f.Mode().IsRegular() {
			continue
		}
		r, err := f.Open()
		if err == nil {
			err = out.file(f.Name, r, f.Mode())
			r.Close()
		}
		if err != nil {
			return fmt.Errorf("unpacking the release: %w", err)
		}
	}
	return nil
}

// unpacker writes the files of an archive below a folder, and nowhere else.
type unpacker struct {
	dir  string
	n    int
	left int64
}

func newUnpacker(dir string) *unpacker { return &unpacker{dir: dir, left: mostBytes} }

func (u *unpacker) file(name string, r io.Reader, mode os.FileMode) error {
	if name = filepath.FromSlash(name); !filepath.IsLocal(name) {
		return fmt.Errorf("%s leads out of the extension", text.VisibleLine(name))
	}
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("%s is part of a repository, which an extension may not hold", text.VisibleLine(name))
		}
	}
	if u.n++; u.n > mostFiles {
		return fmt.Errorf("the archive holds more than %d files", mostFiles)
	}
	at := filepath.Join(u.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	n, err := writeFile(at, name, r, u.left, mode)
	u.left -= n
	return err
}

// flatten moves the contents of dir's only folder up into dir. Source archives have
// such a folder.
func flatten(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || exists(filepath.Join(dir, manifestFile)) || len(entries) != 1 || !entries[0].IsDir() {
		return err
	}
	top := filepath.Join(dir, entries[0].Name())
	moved := filepath.Join(dir, ".moving")
	if err := os.Rename(top, moved); err != nil {
		return err
	}
	inside, err := os.ReadDir(moved)
	for _, e := range inside {
		err = errors.Join(err, os.Rename(filepath.Join(moved, e.Name()), filepath.Join(dir, e.Name())))
	}
	return errors.Join(err, os.Remove(moved))
}
