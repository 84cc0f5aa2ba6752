// Package oauth signs in at MCP servers behind a URL, and keeps what they issue in the
// file of Gemini CLI, ~/.gemini/mcp-oauth-tokens.json
// (core/mcp/oauth-token-storage.ts).
//
// The rules:
//
//   - A token belongs to the URL that it was issued for and is sent to its host only: a project
//     whose server has the same name as one of the user's does not get it.
//   - It is sent over https, or to this machine.
//   - Addresses that a server names for a sign-in must use https and be public,
//     unless the server itself is on this machine.
package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/oauth2"

	"minigem/internal/atomicfile"
	"minigem/internal/boundedfile"
	"minigem/internal/filelock"
)

// FileName is the name of the file in ~/.gemini.
const FileName = "mcp-oauth-tokens.json"

// maxFile limits the file, in bytes.
const maxFile = 4 << 20

// Store is the file at Path. The zero Store contains no sign-ins and stores none.
type Store struct{ Path string }

// credentials is one server's entry in the file. Times are in milliseconds since 1970.
type credentials struct {
	ServerName string `json:"serverName"`
	Token      token  `json:"token"`
	ClientID   string `json:"clientId,omitempty"`
	// ClientSecret is not in Gemini CLI's file. Some servers issue one when a client
	// registers.
	ClientSecret string `json:"clientSecret,omitempty"`
	TokenURL     string `json:"tokenUrl,omitempty"`
	ServerURL    string `json:"mcpServerUrl,omitempty"`
	UpdatedAt    int64  `json:"updatedAt"`
}

type token struct {
	AccessToken  string `json:"accessToken"`
	RefreshToken string `json:"refreshToken,omitempty"`
	ExpiresAt    int64  `json:"expiresAt,omitempty"` // 0 if it does not expire
	TokenType    string `json:"tokenType,omitempty"`
	Scope        string `json:"scope,omitempty"`
}

func (t token) oauth() *oauth2.Token {
	tok := &oauth2.Token{AccessToken: t.AccessToken, RefreshToken: t.RefreshToken, TokenType: t.TokenType}
	if t.ExpiresAt != 0 {
		tok.Expiry = time.UnixMilli(t.ExpiresAt)
	}
	return tok
}

func fromOAuth(tok *oauth2.Token) token {
	t := token{AccessToken: tok.AccessToken, RefreshToken: tok.RefreshToken, TokenType: tok.Type()}
	if !tok.Expiry.IsZero() {
		t.ExpiresAt = tok.Expiry.UnixMilli()
	}
	t.Scope, _ = tok.Extra("scope").(string)
	return t
}

// lock waits for other programs that are changing the file.
func (s Store) lock(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return nil, err
	}
	return filelock.Wait(ctx, s.Path)
}

// read returns the entries of the file. A missing file has none.
func (s Store) read() ([]json.RawMessage, error) {
	data, err := boundedfile.ReadJSON(s.Path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &entries)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the sign-ins at MCP servers in %s: %w; correct it, or remove it and sign in again",
			s.Path, err)
	}
	return entries, nil
}

// Check returns an error if the file cannot be read. Until it can, no sign-in is used.
func (s Store) Check() error {
	if s.Path == "" {
		return nil
	}
	_, err := s.read()
	return err
}

// find returns what the server at url issued under name, or nil.
func (s Store) find(name, url string) (*credentials, error) {
	entries, err := s.read()
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		var c credentials
		if json.Unmarshal(entry, &c) == nil && c.ServerName == name && c.ServerURL == url && c.Token.AccessToken != "" {
			return &c, nil
		}
	}
	return nil, nil
}

// put stores c and replaces the previous entry of its server. Other entries stay as
// they are.
func (s Store) put(c credentials) error {
	entries, err := s.without(c.ServerName)
	if err != nil {
		return err
	}
	entry, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return s.write(append(entries, entry))
}

// remove deletes the entry of the server called name.
func (s Store) remove(name string) error {
	entries, err := s.without(name)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return os.Remove(s.Path)
	}
	return s.write(entries)
}

func (s Store) without(name string) ([]json.RawMessage, error) {
	entries, err := s.read()
	return slices.DeleteFunc(entries, func(entry json.RawMessage) bool {
		var c credentials
		return json.Unmarshal(entry, &c) == nil && c.ServerName == name
	}), err
}

func (s Store) write(entries []json.RawMessage) error {
	data, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(s.Path, append(data, '\n'), 0o600)
}
