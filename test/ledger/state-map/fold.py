#!/usr/bin/env python3
"""Folds exported entries into the state map, by docs/evidence.md alone. Shares no code with the service.

Reads one JSON object a line from standard input, in the order of the tree: entry_hash, member_tag, record (text or null),
source_system, map_logs (of a disposed event). Prints the root after each size that the arguments name.
"""
import hashlib
import json
import sys

PARTITIONS = {
    "document": "_records", "event-redaction": "_system", "document-redaction": "_system", "redaction": "_records",
    "disposal": "_system", "disposal-order": "_records", "hold": "_records", "matter": "_records", "bundle": "_records",
    "bundle-link": "_records", "hold-notice": "_records",
    "member": "_records", "member-merges": "_records", "consent": "_records", "consent-policy": "_records",
    "data-right": "_records",
    "retention-policy": "_records", "rule": "_records",
}


def h(data):
    return hashlib.sha256(data).digest()


def d(tag, *parts):
    return h(b"eas:" + tag.encode() + b":v1\0" + b"".join(parts))


def u64(n):
    return n.to_bytes(8, "big")


def key_of(kind, x):
    return d("map-key", kind.encode(), b"\0", x.encode())


def tree(leaves):
    """RFC 6962."""
    if not leaves:
        return h(b"")
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return h(b"\1" + tree(leaves[:k]) + tree(leaves[k:]))


def root(entries, depth=0):
    if not entries:
        return bytes(32)
    if len(entries) == 1:
        return d("map-leaf", *entries[0])
    sides = ([], [])
    for key, value in entries:
        sides[key[depth // 8] >> (7 - depth % 8) & 1].append((key, value))
    return d("map-node", root(sides[0], depth + 1), root(sides[1], depth + 1))


class Fold:
    def __init__(self):
        self.states, self.logs, self.lists = {}, {}, {}

    def add(self, index, entry):
        source, entry_hash = entry["source_system"], bytes.fromhex(entry["entry_hash"])
        record = json.loads(entry["record"]) if entry["record"] else {}
        payload = record.get("payload", {})
        if source.startswith("_") or source == "ai-provenance":
            self.fact(index, source, entry_hash, payload)
            return
        keys = [] if entry["member_tag"] is None else [key_of("member-log", entry["member_tag"])]
        for name, kind in (("matter_id", "matter-log"), ("incident_id", "incident-log")):
            x = payload.get(name)
            if isinstance(x, str) and 1 <= len(x.encode("utf-16-le")) // 2 <= 256:
                keys.append(key_of(kind, x))
        for key in keys + [bytes.fromhex(key) for key in entry.get("map_logs") or []]:
            self.logs.setdefault(key, []).append(h(b"\0" + entry_hash + u64(index)))

    def fact(self, index, source, entry_hash, payload):
        if payload.get("fact") != "eas.fact/v2":
            return
        kind, x = payload["subject"]["kind"], payload["subject"]["id"]
        if PARTITIONS.get(kind) != source:
            return
        self.states[key_of(kind, x)] = d("map-value", kind.encode(), u64(index), entry_hash)
        if kind == "hold":
            active = self.lists.setdefault(key_of("holds-active", "tenant"), set())
            (active.add if payload["state"]["status"] == "ACTIVE" else active.discard)(x)
        if kind == "document":
            for name in payload.get("detached", []):
                self.list_of(name).discard(x)
            for name in payload.get("attached", []):
                self.list_of(name).add(x)

    def list_of(self, name):
        to, x = name.split("/", 1)
        return self.lists.setdefault(key_of(to + "-documents", x), set())

    def root(self):
        entries = list(self.states.items())
        for key, leaves in self.logs.items():
            entries.append((key, d("map-log", u64(len(leaves)), tree(leaves))))
        for key, ids in self.lists.items():
            leaves = [h(b"\0" + one) for one in sorted(i.encode() for i in ids)]
            entries.append((key, d("map-log", u64(len(ids)), tree(leaves))))
        return root(entries)


def main():
    sizes, fold, size = {int(size) for size in sys.argv[1:]}, Fold(), 0
    for line in sys.stdin:
        if size in sizes:
            print(size, fold.root().hex())
        fold.add(size, json.loads(line))
        size += 1
    if size in sizes:
        print(size, fold.root().hex())


main()
