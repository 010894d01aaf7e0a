#!/usr/bin/env python3
"""Computes the vectors of docs/evidence.md with Python's standard library alone.

It shares no code with the service. `python3 vectors.py` writes the JSON files next to it; `--check` compares them.
"""
import hashlib
import hmac
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent


def h(data):
    return hashlib.sha256(data).digest()


def d(tag, *parts):
    """D(tag, x...) of docs/evidence.md section 2."""
    return h(b"eas:" + tag.encode() + b":v1\0" + b"".join(parts))


def jcs(value):
    """RFC 8785 for the values of these vectors: no floats, and names within the Basic Multilingual Plane."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def mac(key, text):
    return hmac.new(key, text, hashlib.sha256).digest()


# Entries

def scalars(value, pointer=""):
    if isinstance(value, dict) and value:
        for name, member in value.items():
            yield from scalars(member, pointer + "/" + name.replace("~", "~0").replace("/", "~1"))
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield from scalars(item, f"{pointer}/{i}")
    else:
        yield pointer, value


def fields_of(record, seed):
    digests = []
    for pointer, value in scalars(record):
        salt = mac(seed, b"field:" + pointer.encode())[:16]
        digests.append(d("field", salt, jcs([pointer, value])))
    decoy = 0
    while len(digests) % 8:
        digests.append(d("decoy", mac(seed, b"decoy:" + str(decoy).encode())))
        decoy += 1
    return d("fields", *sorted(digests))


TENANT_KEY = bytes(range(32))


def member_tag(record):
    """HMAC(tenant key, "member" || 0x00 || member_id), or None for a record that names no member."""
    if "member_id" not in record:
        return None
    return mac(TENANT_KEY, b"member\0" + record["member_id"].encode()).hex()


def genesis_of(origin, tenant_id, source_system):
    return d("genesis", jcs({"origin": origin, "source_system": source_system, "tenant_id": tenant_id, "v": 1}))


def entry_of(record, seed, place):
    text = jcs(record)
    commit = d("commit", mac(seed, b"commit"), text)
    fields = fields_of(record, seed)
    header = jcs({
        "commit": commit.hex(),
        "event_id": record["event_id"],
        "fields": fields.hex(),
        "member_tag": member_tag(record),
        "prev": place["prev"],
        "recorded_at": place["recorded_at"],
        "seq": place["seq"],
        "source_system": record["source_system"],
        "tenant_id": record["tenant_id"],
        "v": 2,
    })
    entry_hash = d("link", header)
    return {
        "record": text.decode(),
        "seed": seed.hex(),
        **place,
        "worm_sha256": h(text).hex(),
        "commit": commit.hex(),
        "fields": fields.hex(),
        "member_tag": member_tag(record),
        "header": header.decode(),
        "entry_hash": entry_hash.hex(),
        "leaf": h(b"\0" + entry_hash).hex(),
    }


def chain_of(origin, records, seed_byte):
    first = records[0]
    prev = genesis_of(origin, first["tenant_id"], first["source_system"]).hex()
    entries = []
    for i, record in enumerate(records):
        place = {"seq": i + 1, "prev": prev, "recorded_at": f"2026-03-02T14:11:1{i}.004Z"}
        entry = entry_of(record, bytes([seed_byte + i]) * 32, place)
        entries.append(entry)
        prev = entry["entry_hash"]
    return {
        "origin": origin,
        "tenant_id": first["tenant_id"],
        "source_system": first["source_system"],
        "tenant_key": TENANT_KEY.hex(),
        "genesis": entries[0]["prev"],
        "entries": entries,
    }


def event(n, **members):
    return {
        "event_effective_timestamp": "2026-03-02T14:11:09.123Z",
        "event_family": "utilization_management",
        "event_id": f"evt_01JQ00000000000000000000{n:02d}",
        "event_type": "prior_auth.denied",
        "received_at": "2026-03-02T14:11:10.000Z",
        "source_record_id": f"PA-{n}",
        "source_system": "um-core",
        "tenant_id": "t-acme",
        **members,
    }


EVENTS = [
    event(1, member_id="M-1", outcome="DENIED", payload={"carc": ["50"], "rationale": "Not documented"}),
    event(2, payload={}),
    event(3, payload={"a/b": {"c~d": [1, -7, True, False, None, "", [], {}]}, "é": "\u2028 \"quoted\" \\ \t"}),
]

# Trees

def split(n):
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def root_of(leaves):
    if not leaves:
        return h(b"")
    if len(leaves) == 1:
        return leaves[0]
    k = split(len(leaves))
    return h(b"\1" + root_of(leaves[:k]) + root_of(leaves[k:]))


def path_of(m, leaves):
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if m < k:
        return path_of(m, leaves[:k]) + [root_of(leaves[k:])]
    return path_of(m - k, leaves[k:]) + [root_of(leaves[:k])]


def subproof(m, leaves, known):
    if m == len(leaves):
        return [] if known else [root_of(leaves)]
    k = split(len(leaves))
    if m <= k:
        return subproof(m, leaves[:k], known) + [root_of(leaves[k:])]
    return subproof(m - k, leaves[k:], False) + [root_of(leaves[:k])]


def hexes(hashes):
    return [one.hex() for one in hashes]


def trees():
    entries = [h(b"entry %d" % i) for i in range(13)]
    leaves = [h(b"\0" + entry) for entry in entries]
    sizes = range(len(leaves) + 1)
    return {
        "entries": hexes(entries),
        "roots": [root_of(leaves[:n]).hex() for n in sizes],
        "inclusion": [
            {"tree_size": n, "leaf_index": m, "path": hexes(path_of(m, leaves[:n]))}
            for n in (1, 2, 5, 8, 13) for m in range(n)
        ],
        "consistency": [
            {"from": m, "to": n, "path": hexes(subproof(m, leaves[:n], True))}
            for n in (2, 5, 8, 13) for m in range(1, n)
        ],
    }


# Facts

def counted(texts):
    return {"count": len(texts), "root": root_of([h(b"\0" + text) for text in texts]).hex()}


HOLD = "hld_01JQ0000000000000000000001"
MATTERS = ["mat_01JQ0000000000000000000003", "mat_01JQ0000000000000000000001", "mat_01JQ0000000000000000000002"]
LINES = [
    {"action": "place", "actor": {"id": "key_01", "type": "KEY"}, "at": "2026-03-02T14:11:10.004Z"},
    {"action": "update", "actor": {"id": "key_02", "type": "KEY"}, "at": "2026-03-02T15:00:00.000Z"},
]


def fact_record(n, previous, lines):
    state = {"history": counted([jcs(line) for line in lines]), "revision": n, "status": "ACTIVE"}
    return {
        "event_effective_timestamp": lines[-1]["at"],
        "event_family": "legal_hold",
        "event_id": f"evt_01JQ00000000000000000001{n:02d}",
        "event_type": "legal_hold.changed",
        "payload": {
            "action": lines[-1]["action"],
            "actor": lines[-1]["actor"],
            "fact": "eas.fact/v2",
            "previous": previous,
            "state": state,
            "subject": {"id": HOLD, "kind": "hold"},
        },
        "received_at": "2026-03-02T14:11:10.000Z",
        "source_record_id": f"hold/{HOLD}",
        "source_system": "_records",
        "tenant_id": "t-acme",
    }


def keys_of(kind, subject_id, previous):
    return {
        "kind": kind,
        "id": subject_id,
        "previous": previous,
        "fact_key": f"{kind}/{subject_id}\0{previous or 'first'}",
        "duplicate_key": mac(TENANT_KEY, jcs({"id": subject_id, "kind": kind, "previous": previous})).hex(),
    }


def facts(origin):
    placed = chain_of(origin, [fact_record(1, None, LINES[:1])], 32)["entries"][0]["entry_hash"]
    chain = chain_of(origin, [fact_record(1, None, LINES[:1]), fact_record(2, placed, LINES)], 32)
    return {
        "chain": chain,
        "tenant_key": TENANT_KEY.hex(),
        "keys": [
            keys_of("hold", HOLD, None),
            keys_of("hold", HOLD, placed),
            keys_of("event-redaction", "evt_01JQ0000000000000000000001", None),
        ],
        "lists": [
            {"ids": [], **counted([])},
            {"ids": MATTERS[:1], **counted([i.encode() for i in MATTERS[:1]])},
            {"ids": MATTERS, **counted([i.encode() for i in sorted(MATTERS)])},
        ],
        "histories": [
            {"lines": LINES[:n], **counted([jcs(line) for line in LINES[:n]])} for n in range(len(LINES) + 1)
        ],
    }


# The state map

EMPTY = bytes(32)


def u64(value):
    return value.to_bytes(8, "big")


def map_key(kind, x):
    return d("map-key", kind.encode(), b"\0", x)


def map_root(entries, depth=0):
    """Root over {key: value}: a subtree without keys is 32 zero bytes, a subtree with one key is its leaf."""
    if not entries:
        return EMPTY
    if len(entries) == 1:
        (key, value), = entries.items()
        return d("map-leaf", key, value)
    return d("map-node", *(map_root(side, depth + 1) for side in sides(entries, depth)))


def bit(key, depth):
    return key[depth // 8] >> (7 - depth % 8) & 1


def sides(entries, depth):
    return [{key: value for key, value in entries.items() if bit(key, depth) == side} for side in (0, 1)]


def map_proof(entries, key, depth=0):
    """The leaf at the end of the key's path, or None, and the siblings from the root down."""
    if len(entries) <= 1:
        return next(iter(entries.items()), None), []
    both = sides(entries, depth)
    leaf, siblings = map_proof(both[bit(key, depth)], key, depth + 1)
    return leaf, [map_root(both[1 - bit(key, depth)], depth + 1)] + siblings


def proof_of(entries, key):
    leaf, siblings = map_proof(entries, key)
    return {
        "key": key.hex(),
        "value": entries[key].hex() if key in entries else None,
        "leaf": leaf and {"key": leaf[0].hex(), "value": leaf[1].hex()},
        "siblings": hexes(siblings),
        "root": map_root(entries).hex(),
        "expect": "valid",
    }


def flipped(text):
    return ("0" if text[0] != "0" else "1") + text[1:]


def bad_proofs(entries, present, absent):
    good, away = proof_of(entries, present), proof_of(entries, absent)
    other = next(key for key in entries if key != present)
    bad = [
        ({**good, "value": None}, "the key is present"),
        ({**good, "value": flipped(good["value"])}, "the proof is of another value"),
        ({**good, "siblings": good["siblings"][1:]}, "the proof does not lead to the root"),
        ({**good, "siblings": good["siblings"] + [EMPTY.hex()]}, "the lowest sibling is empty"),
        ({**good, "siblings": good["siblings"][::-1]}, "the proof does not lead to the root"),
        ({**good, "siblings": [flipped(good["siblings"][0])] + good["siblings"][1:]},
         "the proof does not lead to the root"),
        ({**good, "root": flipped(good["root"])}, "the proof does not lead to the root"),
        ({**good, "key": other.hex()}, "the proof is of another value"),
        ({**away, "key": present.hex()}, "the proof does not lead to the root"),
        ({**away, "value": good["value"]}, "the proof is of another value"),
        ({**good, "siblings": [EMPTY.hex()] * 257}, "the proof has no valid form"),
        ({**good, "siblings": [sibling[:-2] for sibling in good["siblings"]]}, "the proof has no valid form"),
    ]
    return [{**proof, "expect": "invalid", "reason": reason} for proof, reason in bad]


def maps():
    entry_hash = h(b"fact")
    keyed = [
        ("document", b"doc_01JQ0000000000000000000001"),
        ("hold", b"hld_01JQ0000000000000000000001"),
        ("holds-active", b""),
        ("member-log", h(b"member tag")),
    ]
    entries, versions = {}, []
    for i in range(40):
        entries[map_key("document", b"doc_%d" % i)] = d("map-value", b"document", u64(i), h(b"fact %d" % i))
        if i in (0, 1, 2, 9, 39):
            versions.append({"entries": [[k.hex(), v.hex()] for k, v in entries.items()], "root": map_root(entries).hex()})
    keys = list(entries)
    absent = [map_key("document", b"absent %d" % i) for i in range(6)]
    one = dict([next(iter(entries.items()))])
    return {
        "keys": [{"kind": kind, "x": x.hex(), "key": map_key(kind, x).hex()} for kind, x in keyed],
        "state_values": [
            {"kind": kind, "tree_index": i, "entry_hash": entry_hash.hex(),
             "value": d("map-value", kind.encode(), u64(i), entry_hash).hex()}
            for kind, i in (("document", 0), ("hold", 2**40 + 1))
        ],
        "log_values": [
            {"count": n, "root": h(b"root").hex(), "value": d("map-log", u64(n), h(b"root")).hex()} for n in (0, 7)
        ],
        "maps": [{"entries": [], "root": EMPTY.hex()}] + versions,
        "proofs": [proof_of({}, keys[0]), proof_of(one, keys[0]), proof_of(one, keys[1])]
        + [proof_of(entries, key) for key in keys[:6] + absent]
        + bad_proofs(entries, keys[3], absent[0]),
        "multiproofs": [multi_of({}, absent[:2]), multi_of(one, [keys[0]]), multi_of(one, [keys[0], *absent]),
                        multi_of(one, absent), multi_of(entries, keys[:1]), multi_of(entries, absent[:1]),
                        multi_of(entries, keys[:7] + absent), multi_of(entries, keys + absent)]
        + bad_multiproofs(entries, keys[3], absent[0]),
        "logs": logs(),
    }


def under(claims, depth, prefix):
    return [key for key in claims if all(bit(key, i) == side for i, side in enumerate(prefix[:depth]))]


def multiproof(entries, claims, prefix=()):
    """The tokens over sorted claimed keys: depth first, left before right."""
    if not entries:
        return b"\0"
    if not claims:
        return b"\1" + map_root(entries, len(prefix))
    if len(entries) == 1:
        (key, value), = entries.items()
        return b"\3" if key in claims else b"\2" + key + value
    tokens = b"\4"
    for side, part in enumerate(sides(entries, len(prefix))):
        path = (*prefix, side)
        tokens += multiproof(part, under(claims, len(path), path), path)
    return tokens


def multi_of(entries, keys):
    claims = sorted(keys)
    return {
        "claims": [{"key": key.hex(), "value": entries[key].hex() if key in entries else None} for key in claims],
        "tokens": multiproof(entries, claims).hex(),
        "root": map_root(entries).hex(),
        "expect": "valid",
    }


def bad_multiproofs(entries, present, absent):
    good = multi_of(entries, [present, absent])
    claims = good["claims"]
    hidden = [claim if claim["value"] is None else {**claim, "value": None} for claim in claims]
    forged = [claim if claim["value"] is None else {**claim, "value": flipped(claim["value"])} for claim in claims]
    made = [claim if claim["value"] else {**claim, "value": h(b"made up").hex()} for claim in claims]
    single = d("map-leaf", present, entries[present])
    one_sided = (single, EMPTY) if bit(present, 0) == 0 else (EMPTY, single)
    folded = {
        "claims": [{"key": present.hex(), "value": entries[present].hex()}],
        "tokens": "040300" if bit(present, 0) == 0 else "040003",
        "root": d("map-node", *one_sided).hex(),
    }
    bad = [
        ({**good, "claims": hidden}, "one leaf is not one claimed value"),
        ({**good, "claims": forged}, "the root differs"),
        ({**good, "claims": made}, "a key with a value is absent"),
        ({**good, "claims": claims[::-1]}, "the claimed keys are not sorted"),
        ({**good, "tokens": good["tokens"][:-2]}, "the proof is cut short"),
        ({**good, "tokens": good["tokens"] + "00"}, "the proof has further tokens"),
        ({**good, "tokens": "09" + good["tokens"]}, "the proof has an unknown token"),
        ({**good, "tokens": "01" + good["root"]}, "a token does not fit the claimed keys"),
        (folded, "a branch has fewer than two keys"),
        ({**good, "claims": claims[:1], "tokens": "0400"}, "the proof is cut short"),
    ]
    return [{**proof, "expect": "invalid", "reason": reason} for proof, reason in bad]


def logs():
    """Logs of a member: the value after each event."""
    key = map_key("member-log", mac(TENANT_KEY, b"member\0M-1").hex().encode())
    leaves, values = [], []
    for index in (0, 3, 4, 9, 200):
        entry = h(b"event %d" % index)
        leaves.append(h(b"\0" + entry + u64(index)))
        root = root_of(leaves)
        values.append({"entry_hash": entry.hex(), "cause": index, "count": len(leaves), "root": root.hex(),
                       "value": d("map-log", u64(len(leaves)), root).hex()})
    ids = [f"doc_01JQ000000000000000000000{i}" for i in (3, 1, 2)]
    lists = []
    for n in range(len(ids) + 1):
        root = root_of([h(b"\0" + one.encode()) for one in sorted(ids[:n])])
        lists.append({"ids": ids[:n], "value": d("map-log", u64(n), root).hex()})
    return {"key": key.hex(), "log": values, "lists": lists}


ORIGIN = "eas.example/log/01HZX0"
FILES = {
    "entries.json": chain_of(ORIGIN, EVENTS, 7),
    "trees.json": trees(),
    "facts.json": facts(ORIGIN),
    "maps.json": maps(),
}


def main():
    differs = False
    for name, content in FILES.items():
        path = HERE / name
        if "--check" not in sys.argv:
            path.write_text(json.dumps(content, indent=2) + "\n")
        elif json.loads(path.read_text()) != content:
            print(f"{name} differs")
            differs = True
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
