// Package vault keeps secrets for the user: in the keychain of the system, or if there
// is none in the file that Gemini CLI then uses, which it reads, too.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/zalando/go-keyring"
	"golang.org/x/crypto/scrypt"

	"minigem/hooks/jsonc"
	"minigem/internal/boundedfile"
)

// Vault stores secrets in the keychain of the system, or if there is none in the file
// that Gemini CLI then uses (core/services/fileKeychain.ts). That file is encrypted
// with data that everyone on this machine knows, so only its permissions protect it.
type Vault struct {
	File   string // used if there is no keychain
	system bool   // there is a keychain
}

// New returns the user's vault. On Linux there is a keychain if the session has a
// message bus.
func New(dotGemini string, getenv func(string) string) Vault {
	v := Vault{File: filepath.Join(dotGemini, "gemini-credentials.json"),
		system: getenv("GEMINI_FORCE_FILE_STORAGE") != "true"}
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" && getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		v.system = false
	}
	return v
}

// Keychain reports whether the system seems to have a keychain.
func (v Vault) Keychain() bool { return v.system }

// Get returns a secret, and whether it exists.
func (v Vault) Get(service, account string) (string, bool, error) {
	if v.system {
		if value, err := keyring.Get(service, account); err == nil {
			return value, true, nil
		}
	}
	all, err := v.read()
	value, ok := all[service][account]
	return value, ok, err
}

// Set stores a secret.
func (v Vault) Set(service, account, value string) error {
	_, err := v.Keep(service, account, value)
	return err
}

// Keep stores a secret, and reports whether it is in the keychain or else in the file.
func (v Vault) Keep(service, account, value string) (keychain bool, err error) {
	if v.system && keyring.Set(service, account, value) == nil {
		return true, nil
	}
	return false, v.update(func(all map[string]map[string]string) {
		if all[service] == nil {
			all[service] = map[string]string{}
		}
		all[service][account] = value
	})
}

// Remove removes a secret.
func (v Vault) Remove(service, account string) error {
	if v.system {
		_ = keyring.Delete(service, account) // it may never have been there
	}
	if _, err := os.Stat(v.File); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return v.update(func(all map[string]map[string]string) {
		delete(all[service], account)
		if len(all[service]) == 0 {
			delete(all, service)
		}
	})
}

// Services returns the services in the file whose names begin with prefix. A keychain
// cannot list its own.
func (v Vault) Services(prefix string) map[string]map[string]string {
	all, _ := v.read()
	maps.DeleteFunc(all, func(name string, _ map[string]string) bool { return !strings.HasPrefix(name, prefix) })
	return all
}

func (v Vault) read() (map[string]map[string]string, error) {
	data, err := boundedfile.Read(v.File, boundedfile.Written)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return v.decipher(data)
}

func (v Vault) update(change func(map[string]map[string]string)) error {
	empty := false
	err := jsonc.Update(v.File, 0o600, func(data []byte) ([]byte, error) {
		all := map[string]map[string]string{}
		if len(data) > 0 {
			var err error
			if all, err = v.decipher(data); err != nil {
				return nil, err
			}
		}
		change(all)
		empty = len(all) == 0
		return v.encipher(all)
	})
	if err == nil && empty {
		return os.Remove(v.File)
	}
	if err == nil {
		err = os.Chmod(v.File, 0o600)
	}
	return err
}

func (v Vault) cipher() (cipher.AEAD, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	who, err := user.Current()
	if err != nil {
		return nil, err
	}
	name := who.Username
	if i := strings.LastIndexByte(name, '\\'); i >= 0 { // DOMAIN\name
		name = name[i+1:]
	}
	key, err := scrypt.Key([]byte("gemini-cli-oauth"), []byte(host+"-"+name+"-gemini-cli"), 1<<14, 8, 1, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// decipher decrypts nonce:tag:text, all in hex.
func (v Vault) decipher(data []byte) (map[string]map[string]string, error) {
	broken := fmt.Errorf(
		"%s cannot be read: it is damaged, or was written on another machine or by another user; move it away, and give "+
			"the settings again", v.File)
	parts := strings.Split(strings.TrimSpace(string(data)), ":")
	if len(parts) != 3 {
		return nil, broken
	}
	nonce, err1 := hex.DecodeString(parts[0])
	tag, err2 := hex.DecodeString(parts[1])
	sealed, err3 := hex.DecodeString(parts[2])
	if errors.Join(err1, err2, err3) != nil || len(nonce) != 12 {
		return nil, broken
	}
	c, err := v.cipher()
	if err != nil {
		return nil, err
	}
	plain, err := c.Open(nil, nonce, append(sealed, tag...), nil)
	all := map[string]map[string]string{}
	if err != nil || json.Unmarshal(plain, &all) != nil || all == nil {
		return nil, broken
	}
	return all, nil
}

func (v Vault) encipher(all map[string]map[string]string) ([]byte, error) {
	plain, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	c, err := v.cipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, 12)
	rand.Read(nonce)
	sealed := c.Seal(nil, nonce, plain, nil)
	at := len(sealed) - c.Overhead()
	return []byte(hex.EncodeToString(nonce) + ":" + hex.EncodeToString(sealed[at:]) + ":" +
		hex.EncodeToString(sealed[:at])), nil
}
