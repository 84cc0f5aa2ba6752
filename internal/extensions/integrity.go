package extensions

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/internal/filelock"
	"minigem/internal/vault"
)

// records is Gemini CLI's signed record of where extensions came from, so that changing
// the file in an extension's folder cannot redirect an update
// (core/config/extensions/integrity.ts).
type records struct {
	dotGemini string
	vault     vault.Vault
}

type record struct {
	Hash      string `json:"hash"`
	Signature string `json:"signature"`
}

type recordFile struct {
	Store     map[string]record `json:"store"`
	Signature string            `json:"signature"`
}

const (
	integrityService = "gemini-cli-extension-integrity"
	integrityAccount = "secret-key"
)

func (r records) file() string { return filepath.Join(r.dotGemini, "extension_integrity.json") }

// key returns the key in the keychain, in the file for secrets, or in integrity.key. If
// there is none, it makes a new one.
func (r records) key() ([]byte, error) {
	if key, ok, err := r.vault.Get(integrityService, integrityAccount); err == nil && ok {
		return []byte(key), nil
	}
	file := filepath.Join(r.dotGemini, "integrity.key")
	data, err := boundedfile.Read(file, boundedfile.Written)
	if err == nil {
		return bytes.TrimSpace(data), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key := make([]byte, 32)
	rand.Read(key)
	made := hex.EncodeToString(key)
	return []byte(made), r.vault.Set(integrityService, integrityAccount, made)
}

func sign(key, data []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil))
}

// canonical returns v as JSON with sorted keys and without white space.
func canonical(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	var sorted any
	_ = json.Unmarshal(b.Bytes(), &sorted)
	b.Reset()
	_ = e.Encode(sorted)
	return bytes.TrimSpace(b.Bytes())
}

func hashOf(o Origin) string {
	sum := sha256.Sum256(canonical(o))
	return hex.EncodeToString(sum[:])
}

// read returns the records, or an error if their signature does not match.
func (r records) read(key []byte) (map[string]record, error) {
	data, err := boundedfile.Read(r.file(), boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]record{}, nil
	}
	if err != nil {
		return nil, err
	}
	var f recordFile
	if err := json.Unmarshal(data, &f); err != nil || f.Store == nil {
		return nil, fmt.Errorf("%s is damaged: remove it, and extensions are recorded anew as they are updated", r.file())
	}
	if !hmac.Equal([]byte(sign(key, canonical(f.Store))), []byte(f.Signature)) {
		return nil, fmt.Errorf("%s does not match its signature: remove it if you have changed it yourself", r.file())
	}
	return f.Store, nil
}

// check returns an error if o differs from the recorded origin of the extension called
// name. Without a record it returns nil.
func (r records) check(name string, o Origin) error {
	if _, err := os.Stat(r.file()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	key, err := r.key()
	if err != nil {
		return err
	}
	all, err := r.read(key)
	if err != nil {
		return err
	}
	if known, ok := all[name]; ok &&
		(known.Hash != hashOf(o) || !hmac.Equal([]byte(known.Signature), []byte(sign(key, []byte(known.Hash))))) {
		return fmt.Errorf("the file %s of the extension %s has changed since it was installed: uninstall it, "+
			"and install it again", installFile, name)
	}
	return nil
}

// set records o for name. If o is nil, it removes the record.
func (r records) set(name string, o *Origin) error {
	if _, err := os.Stat(r.file()); o == nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	key, err := r.key() // before the lock: a new key is written to a file in the same folder
	if err != nil {
		return err
	}
	lock := filelock.New(r.file())
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Close()
	all, err := r.read(key)
	if err != nil {
		return err
	}
	delete(all, name)
	if o != nil {
		hash := hashOf(*o)
		all[name] = record{hash, sign(key, []byte(hash))}
	}
	data, err := json.MarshalIndent(recordFile{all, sign(key, canonical(all))}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(r.file(), []byte(strings.TrimSpace(string(data))), 0o600)
}
