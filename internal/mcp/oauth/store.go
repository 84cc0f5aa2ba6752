// Package oauth signs in at MCP servers behind a URL, and keeps what they give in
// the file of Gemini CLI, ~/.gemini/mcp-oauth-tokens.json (core/mcp/oauth-token-storage.ts).
//
// The rules:
//   - A token goes to the URL that it was given for and to no other: a project
//     that names a server of its own like one of the user's does not get it.
//   - It is sent over https, or to this machine.
//   - What a server names for a sign-in is spoken to over https and in the public
//     internet, unless the server itself is on this machine.
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

// maxFile bounds the file, in bytes.
const maxFile = 4 << 20

// Store is the file at Path. The zero Store has no sign-ins and keeps none.
type Store struct{ Path string }

// credentials are what one server gave, as the file has them. Times are in
// milliseconds since 1970.
type credentials struct {
	ServerName string `json:"serverName"`
	Token      token  `json:"token"`
	ClientID   string `json:"clientId,omitempty"`
	// ClientSecret is not in Gemini CLI's file: it is of servers that give one when a
	// client registers.
	ClientSecret string `json:"clientSecret,omitempty"`
	TokenURL     string `json:"tokenUrl,omitempty"`
	ServerURL    string `json:"mcpServerUrl,omitempty"`
	UpdatedAt    int64  `json:"updatedAt"`
}

type token struct {
	AccessToken  string `json:"accessToken"`
	RefreshToken string `json:"refreshToken,omitempty"`
	ExpiresAt    int64  `json:"expiresAt,omitempty"` // 0: it does not expire
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

// lock waits for other programs that change the file.
func (s Store) lock(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return nil, err
	}
	return filelock.Wait(ctx, s.Path)
}

// read returns the entries of the file; those of a missing file are none.
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
		return nil, fmt.Errorf("reading the sign-ins at MCP servers in %s: %w; mend the file, or remove it and sign in again",
			s.Path, err)
	}
	return entries, nil
}

// Check reports that the file cannot be read. Until it can, nobody is signed in.
func (s Store) Check() error {
	if s.Path == "" {
		return nil
	}
	_, err := s.read()
	return err
}

// find returns what the server at url gave under name; nil: nothing.
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

// put keeps c in the place of what the server of its name gave before. Other
// entries stay as they are.
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

// remove forgets what the server called name gave.
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
