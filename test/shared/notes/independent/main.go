// The Go checksum database's own implementation of notes and trees, asked over standard input and output: what ours makes,
// it judges; what it makes, ours judges.
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type record struct {
	Index  int64    `json:"index"`
	Size   int64    `json:"size"`
	Root   string   `json:"root"`
	Hashes []string `json:"hashes"`
}

type tree struct {
	First      int64    `json:"first"`
	FirstRoot  string   `json:"first_root"`
	Second     int64    `json:"second"`
	SecondRoot string   `json:"second_root"`
	Hashes     []string `json:"hashes"`
}

type input struct {
	Note     string   `json:"note"`
	Verifier string   `json:"verifier"`
	Records  []record `json:"records"`
	Trees    []tree   `json:"trees"`
	Largest  int64    `json:"largest"`
}

type output struct {
	NoteText string   `json:"note_text"`
	Faults   []string `json:"faults"`
	Roots    []string `json:"roots"`
	Records  []record `json:"records"`
	Trees    []tree   `json:"trees"`
	Verifier string   `json:"verifier"`
	Note     string   `json:"note"`
}

// Entry n of the tests' trees (reference-tree.ts).
func entry(n int64) []byte {
	sum := sha256.Sum256([]byte(fmt.Sprintf("entry %d", n)))
	return sum[:]
}

func parse(text string) tlog.Hash {
	var hash tlog.Hash
	bytes, err := hex.DecodeString(text)
	check(err)
	copy(hash[:], bytes)
	return hash
}

func parseAll(texts []string) (hashes []tlog.Hash) {
	for _, text := range texts {
		hashes = append(hashes, parse(text))
	}
	return
}

func texts(hashes []tlog.Hash) []string {
	found := []string{}
	for _, hash := range hashes {
		found = append(found, hex.EncodeToString(hash[:]))
	}
	return found
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	var in input
	check(json.NewDecoder(os.Stdin).Decode(&in))
	out := output{Faults: []string{}}

	verifier, err := note.NewVerifier(in.Verifier)
	check(err)
	opened, err := note.Open([]byte(in.Note), note.VerifierList(verifier))
	check(err)
	out.NoteText = opened.Text

	for _, r := range in.Records {
		if err := tlog.CheckRecord(tlog.RecordProof(parseAll(r.Hashes)), r.Size, parse(r.Root), r.Index, tlog.RecordHash(entry(r.Index))); err != nil {
			out.Faults = append(out.Faults, fmt.Sprintf("record %d of %d: %v", r.Index, r.Size, err))
		}
	}
	for _, t := range in.Trees {
		if err := tlog.CheckTree(tlog.TreeProof(parseAll(t.Hashes)), t.Second, parse(t.SecondRoot), t.First, parse(t.FirstRoot)); err != nil {
			out.Faults = append(out.Faults, fmt.Sprintf("tree %d to %d: %v", t.First, t.Second, err))
		}
	}

	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			found[i] = stored[index]
		}
		return found, nil
	})
	for n := int64(0); n < in.Largest; n++ {
		hashes, err := tlog.StoredHashes(n, entry(n), reader)
		check(err)
		stored = append(stored, hashes...)
		root, err := tlog.TreeHash(n+1, reader)
		check(err)
		out.Roots = append(out.Roots, hex.EncodeToString(root[:]))
	}
	for n := int64(0); n < in.Largest; n += 3 {
		proof, err := tlog.ProveRecord(in.Largest, n, reader)
		check(err)
		out.Records = append(out.Records, record{Index: n, Size: in.Largest, Root: out.Roots[in.Largest-1], Hashes: texts(proof)})
		older, err := tlog.ProveTree(in.Largest, n+1, reader)
		check(err)
		out.Trees = append(out.Trees, tree{First: n + 1, FirstRoot: out.Roots[n], Second: in.Largest, SecondRoot: out.Roots[in.Largest-1], Hashes: texts(older)})
	}

	secret, public, err := note.GenerateKey(rand.Reader, "go.example/log")
	check(err)
	signer, err := note.NewSigner(secret)
	check(err)
	largest := parse(out.Roots[in.Largest-1])
	text := fmt.Sprintf("go.example/log\n%d\n%s\n", in.Largest, base64.StdEncoding.EncodeToString(largest[:]))
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	check(err)
	out.Verifier, out.Note = public, string(signed)
	check(json.NewEncoder(os.Stdout).Encode(out))
}
