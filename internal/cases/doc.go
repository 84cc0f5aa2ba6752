// Package cases ties the testbed to minigem: its cases run on sessions and chats as
// they are wired for users, and runs of users are recorded as cases. e2e/testbed reads
// and judges cases.
package cases
