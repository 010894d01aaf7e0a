#!/usr/bin/env python3
"""Verifies an evidence bundle: python3 verify.py --help

Written apart from verify.mjs, on Python's standard library and the openssl command alone, so that neither has to be
believed without the other. Uses no network and changes nothing. Memory grows with manifest.json, not with the rest.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

USAGE = """Verifies an evidence bundle, with nothing but its bytes and what you hold beside it.

  python3 verify.py BUNDLE.zip [options]

  --key THUMBPRINT       a bundle key that you trust (RFC 7638); may be repeated
  --keys FILE            the published keys (JSON Web Key Set): trusted, with what became of them
  --checkpoint FILE      a signed checkpoint that you kept
  --checkpoint-key KEY   the key of checkpoints, name+id+key; may be repeated
  --consistency FILE     proof that one checkpoint extends the other: base64 hashes, one a line
  --timestamp FILE       an RFC 3161 token over signature.sig
  --tsa-ca FILE          certificates (PEM) of the time-stamp authority
  --json                 the whole report as JSON

Exit: 0 VALID, 1 INVALID, 3 INTEGRITY_ONLY (no key given), 4 VALID_WITH_NOTES, 2 a command not understood.
"""
EXIT = {"VALID": 0, "INVALID": 1, "INTEGRITY_ONLY": 3, "VALID_WITH_NOTES": 4}
CHECKS = {
    "archive": "The archive is a plain ZIP and holds exactly what it must",
    "manifest": "The manifest has its form",
    "signature": "Both signatures are of the key in the manifest",
    "sealing": "The log holds the fact that this manifest was to be signed",
    "key": "The key is the one that you trust, and was good when it signed",
    "files": "Every file has the size and hash that the manifest says",
    "content": "The lists, counts and content digest agree",
    "events": "Every record is the one that its chain committed to",
    "chain": "Every entry follows from its header, and neighbours link",
    "inclusion": "Every entry stands in the checkpoint's tree",
    "map": "The state map that the log committed to says what the bundle shows",
    "complete": "Every event that the log lists for the scope is in the bundle, or left out by name",
    "checkpoint": "The checkpoint is of this log, and agrees with what you kept",
    "documents": "Every document is there in the state that is said",
    "timestamp": "The time stamp is over this signature",
}
MOST_LISTED = 10_000

FULL = ["proofs/checkpoint.note", "proofs/ledger.tsv", "proofs/inclusion.jsonl", "proofs/facts.jsonl", "certificate/fre-902.txt",
        "verify/README.txt", "verify/verify.mjs", "verify/verify.py"]
UNLISTED = ["manifest.json", "signature.sig", "proofs/sealing.json"]
MAP_FILES = ["proofs/map.jsonl", "proofs/logs.tsv"]
FIXED = set(UNLISTED + ["chain.tsv", "events.jsonl"] + FULL + MAP_FILES)
LEDGER_COLUMNS = ("event_id source_system seq recorded_at seed commit fields member_tag prev entry_hash "
                  "tree_index").split()
LOG_COLUMNS = "log cause entry_hash event reason".split()
CHAIN_COLUMNS = ("n at kind subject_type subject_id action actor_type actor_id purpose recipient sha256_before "
                 "sha256_after partition seq prev_hash entry_hash").split()
ALWAYS_DISCLOSED = ["/event_id", "/event_type", "/tenant_id", "/source_system", "/event_effective_timestamp",
                    "/received_at"]

HASH = re.compile(r"[0-9a-f]{64}\Z")
INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\Z")
ZONED = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,9})?"
                   r"(?:[Zz]|[+-]([0-9]{2}):([0-9]{2}))\Z")
DOCUMENT = re.compile(r"documents/([0-9a-f]{64})\Z")
MAX_SAFE = 2 ** 53 - 1
MAX_DEPTH = 110


class Usage(Exception):
    """The command, or a file that it names, cannot be understood."""


class Broken(Exception):
    """What ends a check at once: code, subject, detail."""


def is_hash(value):
    return isinstance(value, str) and HASH.match(value) is not None


def is_instant(value):
    """UTC with three decimals, of a day and an hour that exist."""
    if not isinstance(value, str) or INSTANT.match(value) is None:
        return False
    year, month, day = int(value[:4]), int(value[5:7]), int(value[8:10])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1 <= month <= 12 and 1 <= day <= days[month - 1] and int(value[11:13]) <= 23
            and int(value[14:16]) <= 59 and int(value[17:19]) <= 59)


def is_zoned_time(value):
    """RFC 3339 with a zone, as a caller states a window."""
    found = ZONED.match(value) if isinstance(value, str) else None
    return (found is not None and is_instant("%sT%s.000Z" % found.group(1, 2)) and int(found.group(3) or 0) <= 23
            and int(found.group(4) or 0) <= 59)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_SAFE


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def tagged(tag, *parts):
    return sha256(b"eas:" + tag.encode() + b":v1\0", *parts)


def decimal(text):
    if text is None or not re.match(r"(0|[1-9][0-9]{0,15})\Z", text):
        return None
    return int(text) if int(text) <= MAX_SAFE else None


def base64_strict(text):
    """The bytes of standard base64 in its one canonical spelling, or None."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


def base64url_strict(text):
    if not re.match(r"[A-Za-z0-9_-]*\Z", text):
        return None
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None
    return data if base64.urlsafe_b64encode(data).decode().rstrip("=") == text else None


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


# --- RFC 8785 -------------------------------------------------------------------------------------------------------

class NotCanonical(Exception):
    pass


def es_number(value):
    """A number as ECMAScript prints it."""
    if value == 0:
        return "0"
    sign, value = ("-", -value) if value < 0 else ("", value)
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    n = int(exponent or 0) + (len(whole) if whole != "0" else -(len(fraction) - len(fraction.lstrip("0"))))
    digits = digits.rstrip("0")
    k = len(digits)
    if k <= n <= 21:
        text = digits + "0" * (n - k)
    elif 0 < n <= 21:
        text = digits[:n] + "." + digits[n:]
    elif -6 < n <= 0:
        text = "0." + "0" * -n + digits
    else:
        text = digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + ("+" if n > 0 else "-") + str(abs(n - 1))
    return sign + text


def read_number(literal):
    value = float(literal)
    if value in (float("inf"), float("-inf")) or es_number(value) != literal:
        raise NotCanonical()
    # Whole numbers stay whole, so that counts are told from other numbers.
    return int(value) if value == int(value) and abs(value) <= MAX_SAFE else value


def no_constant(_):
    raise NotCanonical()


def no_repeats(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotCanonical()
    return members


ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
ESCAPED = re.compile('["\\\\\x00-\x1f]')


def quoted(text):
    return '"' + ESCAPED.sub(lambda found: ESCAPES.get(found.group(), "\\u%04x" % ord(found.group())), text) + '"'


def canonical(value, depth=0):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (int, float)):
        return es_number(float(value))
    if depth > MAX_DEPTH:
        raise NotCanonical()
    if isinstance(value, list):
        return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(quoted(key) + ":" + canonical(value[key], depth + 1) for key in keys) + "}"


def read_canonical(text):
    """The value of a text that is in the form of RFC 8785 already."""
    try:
        value = json.loads(text, parse_float=read_number, parse_int=read_number, parse_constant=no_constant,
                           object_pairs_hook=no_repeats)
        if canonical(value) != text:
            raise NotCanonical()
    except (ValueError, RecursionError) as fault:
        raise NotCanonical() from fault
    return value


def leaves(value, pointer=""):
    """Every scalar, {} and []: RFC 6901 pointer and text."""
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from leaves(member, pointer + "/" + key.replace("~", "~0").replace("/", "~1"))
    elif isinstance(value, list) and value:
        for i, item in enumerate(value):
            yield from leaves(item, "%s/%d" % (pointer, i))
    else:
        yield pointer, canonical(value)


# --- The report -----------------------------------------------------------------------------------------------------

class Findings:
    def __init__(self):
        self.breaks, self.unlisted, self.notes, self.not_checked = [], 0, [], []
        self.told, self.failed, self.bundle, self.pinned, self.completeness = {}, {}, None, False, None

    def broken(self, check, code, subject, detail):
        self.failed[check] = self.failed.get(check, 0) + 1
        if len(self.breaks) < MOST_LISTED:
            shown = subject[:200].encode("ascii", "backslashreplace").decode()
            shown = re.sub(r"[\x00-\x1f\x7f]", "?", shown)
            self.breaks.append({"check": check, "code": code, "subject": shown, "detail": detail})
        else:
            self.unlisted += 1

    def verdict(self):
        if self.failed:
            return "INVALID"
        if not self.pinned:
            return "INTEGRITY_ONLY"
        return "VALID_WITH_NOTES" if self.notes else "VALID"

    def report(self, size):
        checks = []
        for name, title in CHECKS.items():
            failures = self.failed.get(name, 0)
            if failures:
                status, detail = "failed", "%d break%s" % (failures, "" if failures == 1 else "s")
            elif name in self.told:
                status, detail = "ok", self.told[name]
            else:
                status, detail = "not_checked", "not looked at"
            checks.append({"name": name, "status": status, "title": title, "detail": detail})
        verdict = self.verdict()
        return {"schema": "eas.verification-report/v1", "verdict": verdict, "exit_code": EXIT[verdict],
                "bundle": self.bundle, "size_bytes": size, "completeness": self.completeness, "checks": checks, "breaks": self.breaks,
                "breaks_not_listed": self.unlisted, "notes": self.notes, "not_checked": self.not_checked}


# --- The archive ----------------------------------------------------------------------------------------------------

class Entry:
    def __init__(self, name, name_bytes, size, crc, flags, offset, stamp):
        self.name, self.name_bytes, self.size, self.crc = name, name_bytes, size, crc
        self.flags, self.offset, self.stamp, self.data_at = flags, offset, stamp, None


class Archive:
    """A ZIP that begins at the first byte of the file, ends at its last, and holds stored files without a gap."""

    def __init__(self, file, findings):
        self.file, self.findings = file, findings
        self.size = os.fstat(file.fileno()).st_size
        entries, start = self.directory()
        self.check_names(entries)
        self.place(entries, start)
        self.entries = {entry.name: entry for entry in entries}
        self.count = len(entries)

    def read(self, offset, length):
        self.file.seek(offset)
        data = self.file.read(length)
        if len(data) != length:
            raise Broken("ZIP_STRUCTURE", "", "cut")
        return data

    def directory(self):
        at = self.size - 22
        if at < 0:
            raise Broken("ZIP_STRUCTURE", "", "too short for an archive")
        sig, disk, first, here, count, length, start, comment = struct.unpack("<IHHHHIIH", self.read(at, 22))
        if sig != 0x06054B50 or comment != 0:
            raise Broken("ZIP_STRUCTURE", "", "the archive does not end with its end record")
        if disk != 0 or first != 0 or here != count:
            raise Broken("ZIP_STRUCTURE", "", "an archive in several parts")
        limit, wide = at, self.wide_end(at)
        if wide is not None:
            for short, long, most in ((count, wide[0], 0xFFFF), (length, wide[1], 0xFFFFFFFF), (start, wide[2], 0xFFFFFFFF)):
                if short not in (long, most):
                    raise Broken("ZIP_STRUCTURE", "", "the two end records disagree")
            count, length, start, limit = wide
        if start + length != limit:
            raise Broken("ZIP_EXTRA_BYTES", "", "bytes that belong to no entry")
        if length > 512 * 2 ** 20:
            raise Broken("ZIP_STRUCTURE", "", "the directory is larger than any bundle has")
        data, entries, at = self.read(start, length), [], 0
        while at < length:
            entry, at = self.central(data, at)
            entries.append(entry)
        if len(entries) != count:
            raise Broken("ZIP_STRUCTURE", "", "the directory holds another number of entries")
        return entries, start

    def wide_end(self, end_at):
        at = end_at - 20
        if at < 56:
            return None
        sig, disk, record_at, disks = struct.unpack("<IIQI", self.read(at, 20))
        if sig != 0x07064B50:
            return None
        if record_at != at - 56 or disk != 0 or disks != 1:
            raise Broken("ZIP_STRUCTURE", "", "the ZIP64 records are not where they must be")
        sig, length, made_by, version, disk, first, here, count, size, start = struct.unpack(
            "<IQHHIIQQQQ", self.read(record_at, 56))
        if sig != 0x06064B50 or length != 44 or made_by != 0x033F or version != 45 or disk != 0 or first != 0 or here != count:
            raise Broken("ZIP_STRUCTURE", "", "the ZIP64 end record is damaged")
        return count, size, start, record_at

    def central(self, data, at):
        if at + 46 > len(data):
            raise Broken("ZIP_STRUCTURE", "", "the central directory is cut or damaged")
        (sig, made_by, version, flags, method, stamp, crc, packed, size, name_len, extra_len, comment_len, disk, internal,
         attributes, offset) = struct.unpack_from("<IHHHHIIIIHHHHHII", data, at)
        name_end = at + 46 + name_len
        end = name_end + extra_len + comment_len
        if sig != 0x02014B50 or end > len(data):
            raise Broken("ZIP_STRUCTURE", "", "the central directory is cut or damaged")
        name_bytes = data[at + 46:name_end]
        try:
            name = name_bytes.decode("utf-8")
        except UnicodeDecodeError:
            name = ""
        size, packed, offset = self.widened(name, data[name_end:name_end + extra_len], size, packed, offset)
        if method != 0:
            raise Broken("ZIP_METHOD", name, "the entry is compressed")
        if flags & ~0x0808:
            raise Broken("ZIP_FLAGS", name, "flags that no bundle sets")
        if comment_len:
            raise Broken("ZIP_COMMENT", name, "the entry has a comment")
        if disk:
            raise Broken("ZIP_STRUCTURE", name, "an archive in several parts")
        kind = (attributes >> 16) & 0o170000
        if kind not in (0, 0o100000) or attributes & 0x10 or name.endswith("/"):
            raise Broken("ZIP_NOT_A_FILE", name, "a directory, link or device")
        as_written = (made_by == 0x033F and version in (20, 45) and flags & 0x0800 and stamp == 0x00210000
                      and internal == 0 and attributes == 0o100644 << 16)
        if not as_written:
            raise Broken("ZIP_ATTRIBUTES", name, "time, mode or versions that no bundle has")
        if packed != size:
            raise Broken("ZIP_METHOD", name, "the entry is not stored as it is")
        return Entry(name, name_bytes, size, crc, flags, offset, stamp), end

    @staticmethod
    def widened(name, extra, size, packed, offset):
        values = [size, packed, offset]
        wide = [value == 0xFFFFFFFF for value in values]
        if not extra and not any(wide):
            return values
        full = len(extra) == 28
        expected = 28 if full else 4 + 8 * sum(wide)
        if not any(wide) or len(extra) != expected or struct.unpack_from("<HH", extra) != (1, len(extra) - 4):
            raise Broken("ZIP_EXTRA_FIELD", name, "an extra field other than ZIP64's")
        read = list(struct.unpack_from("<%dQ" % ((len(extra) - 4) // 8), extra, 4))
        for i in range(3):
            if not wide[i] and not full:
                continue
            value = read.pop(0)
            if not wide[i] and value != values[i]:
                raise Broken("ZIP_EXTRA_FIELD", name, "the ZIP64 field says otherwise")
            if value > MAX_SAFE:
                raise Broken("ZIP_STRUCTURE", name, "a number that no archive reaches")
            values[i] = value
        return values

    def check_names(self, entries):
        seen, self.sound = set(), True
        for entry in entries:
            if entry.name in seen:
                self.sound = False
                self.findings.broken("archive", "ZIP_DUPLICATE", entry.name, "a second entry of this name")
            elif entry.name not in FIXED and not DOCUMENT.match(entry.name):
                self.sound = False
                self.findings.broken("archive", "ZIP_NAME", entry.name, "no name that a bundle has")
            seen.add(entry.name)

    def place(self, entries, start):
        at = 0
        for i, entry in enumerate(entries):
            if entry.offset != at:
                raise Broken("ZIP_EXTRA_BYTES", entry.name, "the entry does not stand where the one before ends")
            end = entries[i + 1].offset if i + 1 < len(entries) else start
            entry.data_at = self.local(entry, start)
            data_end = entry.data_at + entry.size
            if data_end > end:
                raise Broken("ZIP_HEADER_MISMATCH", entry.name, "the entry reaches into what follows it")
            self.descriptor(entry, data_end, end - data_end)
            at = end
        if at != start:
            raise Broken("ZIP_EXTRA_BYTES", "", "bytes before the directory")

    def local(self, entry, limit):
        length = 30 + len(entry.name_bytes)
        cut = Broken("ZIP_STRUCTURE", entry.name, "the local header is cut or damaged")
        if entry.offset + length > limit:
            raise cut
        data = self.read(entry.offset, length)
        sig, version, flags, method, stamp, crc, packed, size, name_len, extra_len = struct.unpack_from("<IHHHIIIIHH", data)
        if sig != 0x04034B50:
            raise cut
        same = (version in (20, 45) and flags == entry.flags and method == 0 and stamp == entry.stamp and name_len == len(entry.name_bytes)
                and data[30:] == entry.name_bytes)
        if not same:
            raise Broken("ZIP_HEADER_MISMATCH", entry.name, "the local header says otherwise than the directory")
        data_at = entry.offset + length + extra_len
        if data_at > limit:
            raise cut
        if extra_len:
            extra = self.read(entry.offset + length, extra_len)
            if extra_len != 20 or struct.unpack_from("<HH", extra) != (1, 16):
                raise Broken("ZIP_EXTRA_FIELD", entry.name, "an extra field other than ZIP64's")
            wide_size, wide_packed = struct.unpack_from("<QQ", extra, 4)
            if size not in (wide_size, 0xFFFFFFFF) or packed not in (wide_packed, 0xFFFFFFFF):
                raise Broken("ZIP_HEADER_MISMATCH", entry.name, "the local header and its ZIP64 field disagree")
            size, packed = wide_size, wide_packed
        deferred = bool(entry.flags & 8)
        for here, there in ((crc, entry.crc), (size, entry.size), (packed, entry.size)):
            if here != there and not (deferred and here == 0):
                raise Broken("ZIP_HEADER_MISMATCH", entry.name, "the local header says otherwise than the directory")
        return data_at

    def descriptor(self, entry, at, length):
        deferred = bool(entry.flags & 8)
        if length != 0 and not (deferred and length in (16, 24)):
            raise Broken("ZIP_EXTRA_BYTES", entry.name, "bytes after the entry that belong to nothing")
        if not deferred:
            return
        if length == 0:
            raise Broken("ZIP_HEADER_MISMATCH", entry.name, "the data descriptor is missing")
        read = struct.unpack("<IIII" if length == 16 else "<IIQQ", self.read(at, length))
        if read != (0x08074B50, entry.crc, entry.size, entry.size):
            raise Broken("ZIP_HEADER_MISMATCH", entry.name, "the data descriptor says otherwise than the directory")

    def chunks(self, entry):
        at, end = entry.data_at, entry.data_at + entry.size
        while at < end:
            data = self.read(at, min(1 << 20, end - at))
            at += len(data)
            yield data

    def whole(self, name):
        entry = self.entries[name]
        return self.read(entry.data_at, entry.size)


class Lines:
    """The lines of an entry, each ended by LF; `fault` says what was wrong with the text."""

    def __init__(self, archive, name):
        self.fault = None
        self.rows = self.read(archive, archive.entries[name]) if name in archive.entries else iter(())

    def read(self, archive, entry):
        rest = b""
        for chunk in archive.chunks(entry):
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > 64 * 2 ** 20:
                self.fault = "TOO_LONG"
                return
            try:
                lines = [line.decode("utf-8") for line in lines]
            except UnicodeDecodeError:
                self.fault = "ENCODING"
                return
            yield from lines
        if rest:
            self.fault = "UNENDED"

    def take(self):
        return next(self.rows, None)


def tsv_cells(line, columns):
    cells = line.split("\t")
    if len(cells) != columns or "\r" in line or "" in cells:
        return None
    read = []
    for cell in cells:
        if cell == "-":
            read.append(None)
        elif cell == "\\-":
            read.append("-")
        elif "\\" in cell:
            if not re.match(r"(?:[^\\]|\\[tnr\\])*\Z", cell, re.S):
                return None
            plain = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
            read.append(re.sub(r"\\(.)", lambda found: plain[found.group(1)], cell, flags=re.S))
        else:
            read.append(cell)
    return read


# --- openssl --------------------------------------------------------------------------------------------------------

def openssl(words, files):
    """Runs openssl with these files, which its words name as {name}."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, data in files.items():
            paths[name] = os.path.join(folder, name)
            with open(paths[name], "wb") as file:
                file.write(data)
        command = ["openssl"] + [word.format(**paths) for word in words]
        try:
            return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
        except FileNotFoundError as fault:
            raise Usage("openssl was not found; it is needed to check signatures") from fault


FIELD = 2 ** 255 - 19
ORDER = 2 ** 252 + 27742317777372353535851937790883648493
# y of the points of low order: a key of one of them verifies signatures over anything.
LOW_ORDER = {0, 1, FIELD - 1} | {int.from_bytes(bytes.fromhex(y), "little") for y in (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")}


def strong_point(data):
    """The one encoding of a point that is not of low order."""
    y = int.from_bytes(data, "little") & (2 ** 255 - 1)
    return len(data) == 32 and y < FIELD and y not in LOW_ORDER


def ed25519(public_key, message, signature):
    if not strong_point(public_key) or not strong_point(signature[:32]):
        return False
    if len(signature) != 64 or int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    key = bytes.fromhex("302a300506032b6570032100") + public_key
    words = "pkeyutl -verify -pubin -keyform DER -inkey {key} -rawin -in {message} -sigfile {signature}".split()
    return openssl(words, {"key": key, "message": message, "signature": signature})


# --- Trees and checkpoints ------------------------------------------------------------------------------------------

def node_hash(left, right):
    return sha256(b"\1", left, right)


def climb(start, index, size, path):
    """RFC 9162 section 2.1.3.2: the root that the path leads to, or None where it has another shape."""
    node, last, joined = index, size - 1, start
    for sibling in path:
        if last == 0:
            return None
        if node % 2 or node == last:
            joined = node_hash(sibling, joined)
            while node % 2 == 0 and node:
                node, last = node // 2, last // 2
        else:
            joined = node_hash(joined, sibling)
        node, last = node // 2, last // 2
    return joined if last == 0 else None


def consistent(first, first_root, second, second_root, proof):
    """RFC 9162 section 2.1.4.2."""
    if first == second:
        return not proof and first_root == second_root
    if first == 0:
        return not proof and first_root == sha256(b"")
    node, last = first - 1, second - 1
    while node % 2:
        node, last = node // 2, last // 2
    proof = ([first_root] if node == 0 else []) + list(proof)
    if not proof:
        return False
    a = b = proof[0]
    for sibling in proof[1:]:
        if last == 0:
            return False
        if node % 2 or node == last:
            a, b = node_hash(sibling, a), node_hash(sibling, b)
            while node % 2 == 0 and node:
                node, last = node // 2, last // 2
        else:
            b = node_hash(b, sibling)
        node, last = node // 2, last // 2
    return last == 0 and a == first_root and b == second_root


class Note:
    """A checkpoint: C2SP signed-note and tlog-checkpoint."""

    def __init__(self, note):
        end = note.rfind("\n\n")
        if len(note) > 65536 or re.search("[\x00-\x09\x0b-\x1f]", note) or end < 0 or not note.endswith("\n"):
            raise ValueError("not a note")
        self.text = note[:end + 1]
        lines = self.text.split("\n")
        if len(lines) < 4 or lines[-1] != "" or "" in lines[:-1]:
            raise ValueError("not a checkpoint")
        self.origin, self.size, self.root = lines[0], decimal(lines[1]), base64_strict(lines[2])
        if self.size is None or self.root is None or len(self.root) != 32:
            raise ValueError("not a checkpoint")
        self.signatures = []
        for line in note[end + 2:-1].split("\n"):
            parts = line.split(" ")
            data = base64_strict(parts[2]) if len(parts) == 3 else None
            if data is None or parts[0] != "\u2014" or not parts[1] or "+" in parts[1] or len(data) <= 4:
                raise ValueError("not a signature line")
            self.signatures.append((parts[1], data[:4], data[4:]))

    def standing(self, keys):
        standing = "unknown-key"
        for name, key_id, signature in self.signatures:
            key = next((key for known, known_id, key in keys if known == name and known_id == key_id), None)
            if key is None or name != self.origin:
                continue
            if len(signature) != 64 or not ed25519(key, self.text.encode(), signature):
                return "forged"
            standing = "signed"
        return standing


def note_key(name, public_key):
    return name, sha256(name.encode() + b"\n\x01" + public_key)[:4], public_key


def read_verifier(text):
    found = re.match(r"([^+\s]+)\+([0-9a-f]{8})\+(\S+)\Z", text.strip())
    data = base64_strict(found.group(3)) if found else None
    if data is None or len(data) != 33 or data[0] != 1:
        raise Usage("--checkpoint-key takes name+id+key")
    if not strong_point(data[1:]):
        raise Usage("--checkpoint-key takes name+id+key")
    key = note_key(found.group(1), data[1:])
    if key[1].hex() != found.group(2):
        raise Usage("--checkpoint-key takes name+id+key")
    return key


# --- What the person who verifies holds -------------------------------------------------------------------------------

def read_key_set(text):
    try:
        value = json.loads(text)
    except ValueError as fault:
        raise Usage("the key set is not JSON") from fault
    if not isinstance(value, dict) or not isinstance(value.get("keys"), list):
        raise Usage("not a JSON Web Key Set")
    keys = []
    for key in value["keys"]:
        if not isinstance(key, dict) or key.get("kty") != "OKP" or key.get("crv") != "Ed25519":
            continue
        public_key = base64url_strict(key["x"]) if isinstance(key.get("x"), str) else None
        if public_key is None or len(public_key) != 32:
            continue
        history = key.get("history") if isinstance(key.get("history"), list) else []
        history = [change for change in history if isinstance(change, dict)]
        ended = next((one for one in history if one.get("change") in ("ROTATED", "RETIRED")), None)
        revoked = next((one for one in history if one.get("change") in ("REVOKED", "COMPROMISED")), None)
        if revoked is None and key.get("status") == "REVOKED":
            revoked = {}
        instant = lambda one, name: one.get(name) if is_instant(one.get(name)) else None
        keys.append({
            "x": key["x"], "public_key": public_key, "purpose": key.get("purpose"), "status": str(key.get("status") or ""),
            "from": instant(key, "from"),
            "ended": None if ended is None else (ended["change"], instant(ended, "at") or ""),
            "revoked": None if revoked is None else (revoked.get("change") == "COMPROMISED", instant(revoked, "effective_at") or ""),
        })
    return keys


def der(data):
    """The elements of DER: tag, content, whole."""
    at, found = 0, []
    while at < len(data):
        start, tag = at, data[at]
        if at + 1 >= len(data):
            raise Usage("not a time-stamp token")
        length, at = data[at + 1], at + 2
        if length >= 0x80:
            count = length & 0x7F
            if count == 0 or count > 4:
                raise Usage("not a time-stamp token")
            length, at = int.from_bytes(data[at:at + count], "big"), at + count
        if at + length > len(data):
            raise Usage("not a time-stamp token")
        found.append((tag, data[at:at + length], data[start:at + length]))
        at += length
    return found


def read_timestamp(data):
    """(SHA-256 that was stamped or None, when, the token itself), of a token or an answer that holds one."""
    def inside(element, tag):
        if element[0] != tag:
            raise Usage("not a time-stamp token")
        return der(element[1])
    try:
        token = der(data)[0]
        content = inside(token, 0x30)
        if content[0][0] == 0x30:
            token = content[1]
            content = inside(token, 0x30)
        if content[0][0] != 0x06 or content[0][1].hex() != "2a864886f70d010702":
            raise Usage("not a time-stamp token")
        encapsulated = inside(inside(inside(content[1], 0xA0)[0], 0x30)[2], 0x30)
        octets = inside(encapsulated[1], 0xA0)[0]
        if encapsulated[0][1].hex() != "2a864886f70d0109100104" or octets[0] != 0x04:
            raise Usage("not a time-stamp token")
        version, _, imprint, _, at = inside(der(octets[1])[0], 0x30)[:5]
        algorithm, digest = inside(imprint, 0x30)[:2]
        found = re.match(rb"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d+))?Z\Z", at[1])
        if version[0] != 0x02 or at[0] != 0x18 or digest[0] != 0x04 or found is None:
            raise Usage("not a time-stamp token")
        parts = [(part or b"").decode() for part in found.groups()]
        when = "%s-%s-%sT%s:%s:%s.%s" % (*parts[:6], (parts[6] + "000")[:3] + "Z")
        is_sha256 = inside(algorithm, 0x30)[0][1].hex() == "608648016503040201"
        return digest[1] if is_sha256 else None, when, token[2]
    except (IndexError, ValueError) as fault:
        raise Usage("not a time-stamp token") from fault


# --- The bundle -----------------------------------------------------------------------------------------------------

COUNTS = ["events", "documents", "redacted", "disposed", "quarantined"]


def is_text(value):
    return isinstance(value, str)


def one_of(*names):
    return lambda value: is_text(value) and value in names


def or_null(test):
    return lambda value: value is None or test(value)


def each(item):
    return [item]


MANIFEST = {
    "schema": one_of("eas.bundle-manifest/v2"), "bundle_id": is_text, "bundle_type": one_of("MEMBER", "MATTER", "INCIDENT"),
    "requested_by": is_text, "requested_at": is_instant, "sealed_at": is_instant,
    "scope": {"tenant_id": is_text, "member_ids": each(is_text), "member_id?": is_text, "matter_id?": is_text,
              "incident_id?": is_text, "from?": is_zoned_time, "to?": is_zoned_time},
    "generator": {"name": is_text, "version": is_text},
    "counts": {name: is_count for name in COUNTS},
    "events": lambda value: isinstance(value, list),
    "documents": each({"document_id": is_text, "sha256": or_null(is_hash), "size": is_count, "media_type": is_text,
                       "referenced_by": each(is_text), "state": one_of("INCLUDED", "REDACTED", "QUARANTINED", "DISPOSED"),
                       "filename?": is_text, "source_system?": is_text, "member_ids?": each(is_text),
                       "effective_at?": is_zoned_time, "created_at?": is_instant}),
    "files": each({"path": is_text, "size": is_count, "sha256": is_hash}),
    "worm_head_hash": is_hash,
    "ledger": {"origin": is_text, "incarnation": is_count, "tree_size": is_count, "root_hash": is_hash,
               "heads": each({"source_system": is_text, "seq": is_count, "hash": is_hash})},
    "holds": each({"hold_id": is_text, "name": is_text, "status": is_text, "events": is_count, "documents": is_count}),
    "redactions": each({"redaction_id": is_text, "kind": one_of("EVENT", "DOCUMENT"), "id": is_text}),
    "regenerated_from": or_null(is_text), "content_digest": is_hash, "signing_key_id": is_text,
    "signing_public_key_jwk": {"kty": one_of("OKP"), "crv": one_of("Ed25519"), "x": is_text}, "signature": is_text,
    "consent?": {"purpose": is_text, "withheld": each({"reason": is_text, "events": is_count, "documents": is_count})},
    "anchoring?": {"anchors": each({"kind": one_of("WITNESS", "TIME_STAMP", "SIGNER", "FOLDER"), "name": or_null(is_text),
                                    "tree_size": is_count, "at": is_instant}),
                   "unanchored": {"since_size": is_count, "since": or_null(is_instant)}},
    "map?": {"tree_size": is_count, "root": is_hash},
    "logs?": each({"kind": one_of("member-log", "matter-log", "incident-log"), "id": is_text, "count": is_count,
                   "root": is_hash, "member_id?": is_text}),
}


SEALING = {
    "act": lambda value: value is not None, "note": is_text, "proof": lambda value: value is not None, "tree_index": is_count,
    "header": {"commit": is_hash, "event_id": is_text, "fields": is_hash, "member_tag": or_null(is_hash), "prev": is_hash,
               "recorded_at": is_instant, "seq": is_count, "source_system": is_text},
}


def check_form(value, form, at=""):
    """Exactly the members of the form: a name with `?` may be absent, and no other name may be present."""
    def need(holds):
        if not holds:
            raise Broken("MANIFEST_FORM", "manifest.json", at + " is missing or has another form")

    if isinstance(form, dict):
        need(isinstance(value, dict))
        names = {name.rstrip("?"): name for name in form}
        for name in value:
            if name not in names:
                raise Broken("MANIFEST_FORM", "manifest.json", "%s/%s is a member that no bundle has" % (at, name))
        for name, named in names.items():
            if name in value or not named.endswith("?"):
                check_form(value.get(name), form[named], at + "/" + name)
    elif isinstance(form, list):
        need(isinstance(value, list))
        for i, item in enumerate(value):
            check_form(item, form[0], "%s/%d" % (at, i))
    else:
        need(form(value))


def check_shape(manifest):
    """The form of the manifest."""
    check_form(manifest, MANIFEST)
    sound = True
    if "consent" in manifest:
        reasons = [one["reason"] for one in manifest["consent"]["withheld"]]
        sound = len(set(reasons)) == len(reasons)
    for kind in ("MEMBER", "MATTER", "INCIDENT"):
        sound = sound and (kind.lower() + "_id" in manifest["scope"]) == (kind == manifest["bundle_type"])
    if not sound:
        raise Broken("MANIFEST_FORM", "manifest.json", "the scope is not that of the type, or a reason is told twice")


def commitments(seed, line, value):
    """commit and fields of a record and its seed."""
    keyed = lambda message: hmac.new(seed, message.encode(), hashlib.sha256).digest()
    digests = [tagged("field", keyed("field:" + pointer)[:16], ("[%s,%s]" % (quoted(pointer), text)).encode())
               for pointer, text in leaves(value)]
    digests += [tagged("decoy", keyed("decoy:%d" % i)) for i in range(-len(digests) % 8)]
    return tagged("commit", keyed("commit"), line.encode()).hex(), tagged("fields", *sorted(digests)).hex()


def genesis(origin, source, tenant):
    text = '{"origin":%s,"source_system":%s,"tenant_id":%s,"v":1}' % (quoted(origin), quoted(source), quoted(tenant))
    return tagged("genesis", text.encode()).hex()


class Links:
    """Order, neighbours, beginning and head of every chain."""

    def __init__(self, findings, manifest):
        self.findings, self.manifest, self.last, self.adjacent = findings, manifest, {}, 0
        self.heads = {head["source_system"]: head for head in manifest["ledger"]["heads"]}

    def add(self, subject, source, seq, prev, entry, recorded_at=None):
        broken = lambda code, detail: self.findings.broken("chain", code, subject, detail)
        last = self.last.get(source)
        if last and recorded_at is None and last[:3] == (seq, prev, entry):
            return
        self.last[source] = (seq, prev, entry, recorded_at)
        if seq == 1 and prev != genesis(self.manifest["ledger"]["origin"], source, self.manifest["scope"]["tenant_id"]):
            broken("GENESIS_MISMATCH", "does not begin the chain of this log, source and tenant")
        head = self.heads.get(source)
        if head is None or seq > head["seq"]:
            broken("HEAD_MISMATCH", "lies beyond the head that the manifest names")
        elif seq == head["seq"] and entry != head["hash"]:
            broken("HEAD_MISMATCH", "is not the head that the manifest names")
        if last is None:
            return
        if seq <= last[0]:
            broken("ORDER", "%d stands after %d" % (seq, last[0]))
        if seq == last[0] + 1:
            self.adjacent += 1
            if prev != last[2]:
                broken("LINK_MISMATCH", "does not link to the entry before it")
        if last[3] is not None and recorded_at is not None and recorded_at < last[3]:
            broken("TIME_REVERSED", "was recorded before its predecessor")


ACT_KINDS = {"_custody": "CUSTODY", "_system": "SYSTEM", "_records": "RECORD"}


def tsv_line(cells):
    """The line of cells, None for empty."""
    texts = []
    for cell in cells:
        if cell is None or cell == "":
            texts.append("-")
        elif cell == "-":
            texts.append("\\-")
        else:
            texts.append(str(cell).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r"))
    return "\t".join(texts)


def upper(text):
    return re.sub("[a-z]", lambda found: found.group().upper(), text)


def act_cells(partition, fields):
    """The cells `at` to `sha256_after` of an act's row, or None where its record does not disclose what every row needs."""
    text = lambda pointer: fields[pointer] if is_text(fields.get(pointer)) else None
    at, action, kind = text("/event_effective_timestamp"), text("/event_type"), ACT_KINDS.get(partition)
    if at is None or action is None or kind is None:
        return None
    payload = lambda name: text("/payload/" + name)
    if payload("subject/kind") is None:
        family, name = text("/event_family"), text("/source_record_id")
        if kind == "CUSTODY" or family is None or name is None:
            return None
        return [at, kind, upper(family), name, action, "SERVICE", None, None, None, None, None]
    if payload("subject/id") is None or payload("actor/type") is None:
        return None
    return [at, kind, upper(payload("subject/kind")), payload("subject/id"), action] + [
        payload(name) for name in ("actor/type", "actor/id", "purpose", "recipient", "sha256_before", "sha256_after")]


class Facts:
    """The facts that the bundle holds, by kind and id: of each subject the last."""

    def __init__(self):
        self.held = {}

    def add(self, fields, row):
        kind, subject = fields.get("/payload/subject/kind"), fields.get("/payload/subject/id")
        if fields.get("/payload/fact") != "eas.fact/v2" or not is_text(kind) or not is_text(subject):
            return
        in_system = kind in ("event-redaction", "document-redaction", "disposal")
        if row["source_system"] != ("_system" if in_system else "_records"):
            return
        known = self.held.get((kind, subject))
        if known is None or known[1]["tree_index"] <= row["tree_index"]:
            self.held[(kind, subject)] = (fields, row)

    def has(self, kind, subject):
        return (kind, subject) in self.held

    def state(self, kind, subject, name):
        return self.held.get((kind, subject), ({}, None))[0].get("/payload/state/" + name)


class Chain:
    """chain.tsv beside the events: their rows stand in the same order, entries of the service's own chains between."""

    def __init__(self, findings, manifest, lines, links):
        self.findings, self.lines, self.links = findings, lines, links
        self.own, self.n, self.own_rows = Links(findings, manifest), 0, []
        self.enclosed, self.last_index = 0, -1
        if lines.take() != "\t".join(CHAIN_COLUMNS):
            self.broken("CHAIN_FORM", "chain.tsv", "the header row is not that of a bundle")

    def broken(self, code, subject, detail):
        self.findings.broken("chain", code, subject, detail)

    def find(self, event, header):
        while True:
            line = self.lines.take()
            if line is None:
                self.broken("CHAIN_ROW_MISSING", event["event_id"], "chain.tsv has no row of this event")
                return
            if self.row(line, event, header):
                return

    def row(self, line, event, header):
        self.n += 1
        subject = "row %d" % self.n
        cells = tsv_cells(line, len(CHAIN_COLUMNS))
        row = dict(zip(CHAIN_COLUMNS, cells or []))
        seq = decimal(row.get("seq"))
        sound = (cells is not None and row["n"] == str(self.n) and row["kind"] in ("LEDGER", "CUSTODY", "SYSTEM", "RECORD")
                 and row["subject_id"] is not None and row["action"] is not None and row["partition"] is not None
                 and seq is not None and seq >= 1 and is_hash(row["prev_hash"]) and is_hash(row["entry_hash"]))
        if not sound:
            self.broken("CHAIN_FORM", subject, "not a row of chain.tsv, or out of number")
            return False
        place = (row["subject_id"], row["partition"], seq, row["prev_hash"], row["entry_hash"])
        if row["kind"] == "LEDGER":
            if event is not None:
                self.compare(line, row, seq, place, event, header)
            return True
        self.own_rows.append({"n": self.n, "line": line, "entry": place[1:], "after": self.last_index, "before": 1 << 53})
        if row["kind"] != ACT_KINDS.get(row["partition"]):
            self.broken("CHAIN_FORM", subject, row["kind"] + " is not of this partition")
        self.own.add(*place)
        return False

    def compare(self, line, row, seq, place, event, header):
        self.last_index = event["tree_index"]
        for own in self.own_rows[self.enclosed:]:
            own["before"] = self.last_index
        self.enclosed = len(self.own_rows)
        included = event["state"] == "INCLUDED"
        if header is None:
            same = (row["subject_id"] == event["event_id"] and row["partition"] == event["source_system"]
                    and seq == event["seq"] and row["entry_hash"] == event["entry_hash"])
        else:
            same = line == tsv_line([
                self.n, header["recorded_at"], "LEDGER", "EVENT", event["event_id"], "APPENDED", "SERVICE", None, None, None,
                None, event["sha256"] if included else None, event["source_system"], event["seq"], header["prev"],
                event["entry_hash"]])
        if not same:
            self.broken("CHAIN_ROW_MISMATCH", event["event_id"], "row %d says otherwise than the event's entry" % self.n)
        allowed = [None, event["sha256"]] if included else [None]
        if row["sha256_before"] not in allowed or row["sha256_after"] not in allowed:
            self.broken("CHAIN_ROW_HASH", event["event_id"], "row %d bears a hash that is not the record's to bear" % self.n)
        if header is None:
            self.links.add(*place)

    def end(self):
        line = self.lines.take()
        while line is not None:
            if self.row(line, None, None):
                self.broken("CHAIN_ROW_EXTRA", "row %d" % self.n, "a row of no event of the bundle")
            line = self.lines.take()


class Inclusion:
    """That every entry is a leaf of the checkpoint's tree, by blocks of 256 leaves."""

    BLOCK = 256

    def __init__(self, findings, lines, size, root):
        self.findings, self.lines, self.size, self.root = findings, lines, size, root
        self.block, self.held, self.last, self.proven = None, [], -1, 0

    def broken(self, code, subject, detail):
        self.findings.broken("inclusion", code, subject, detail)

    def add(self, index, entry, subject):
        if index >= self.size or index <= self.last:
            self.broken("INDEX", subject, "place %d is out of order or beyond the tree" % index)
            return
        if index // self.BLOCK != self.block:
            self.prove()
        self.block, self.last = index // self.BLOCK, index
        self.held.append((index, sha256(b"\0", bytes.fromhex(entry))))

    def begin_anew(self):
        """What is added from now on ascends anew, in blocks of its own."""
        self.prove()
        self.block, self.last = None, -1

    def end(self):
        self.prove()
        if self.lines.take() is not None:
            self.broken("INCLUSION_EXTRA", "proofs/inclusion.jsonl", "a proof of no entry of the bundle")

    def prove(self):
        held, self.held = self.held, []
        if not held:
            return
        if self.root_of(self.lines.take(), held) == self.root:
            self.proven += len(held)
        else:
            self.broken("INCLUSION_MISMATCH", "block %d" % self.block,
                        "entries %d to %d of the tree are not proven in the checkpoint's tree" % (held[0][0], held[-1][0]))

    def root_of(self, line, held):
        try:
            proof = read_block_proof(read_canonical(line or ""))
        except NotCanonical:
            return None
        return root_of_block(proof, held, self.size) if proof is not None and proof[0] == self.block else None


def read_block_proof(value):
    """(block, nodes, path), or None."""
    if not isinstance(value, dict) or set(value) != {"block", "nodes", "path"}:
        return None
    nodes, path = value["nodes"], value["path"]
    if not isinstance(nodes, list) or not isinstance(path, list) or len(path) > 63:
        return None
    if not all(map(is_hash, nodes + path)) or not is_count(value["block"]):
        return None
    return value["block"], [bytes.fromhex(one) for one in nodes], [bytes.fromhex(one) for one in path]


def root_of_block(proof, held, size):
    """The root of a tree, by the leaves of one block: (index, leaf hash), ascending."""
    block, nodes, path = proof[0], list(proof[1]), proof[2]
    leaves_left = list(held)

    def node_of(start, end):
        if not leaves_left or leaves_left[0][0] >= end:
            return nodes.pop(0)
        if end - start == 1:
            return leaves_left.pop(0)[1]
        width = 1
        while width * 2 < end - start:
            width *= 2
        left = node_of(start, start + width)
        return node_hash(left, node_of(start + width, end))

    start = block * Inclusion.BLOCK
    try:
        node = node_of(start, min(start + Inclusion.BLOCK, size))
    except IndexError:
        return None
    return None if nodes else climb(node, block, -(-size // Inclusion.BLOCK), path)


class Multiproof(Exception):
    """A proof of the state map that does not hold."""


def map_key(kind, x):
    return tagged("map-key", kind.encode(), b"\0", x.encode())


class Tokens:
    """The tokens of map.jsonl behind its first line."""

    def __init__(self, lines):
        self.lines, self.data, self.at = lines, b"", 0

    def next(self, length):
        if self.at == len(self.data):
            self.data, self.at = self.line(), 0
        cut = self.data[self.at:self.at + length]
        if len(cut) < length:
            raise Multiproof("the proof is cut within a token")
        self.at += length
        return cut

    def line(self):
        try:
            value = read_canonical(self.lines.take() or "")
        except NotCanonical:
            value = None
        tokens = value.get("tokens") if isinstance(value, dict) and len(value) == 1 else None
        data = base64_strict(tokens) if is_text(tokens) else None
        if not data or len(data) > 2 ** 20:
            raise Multiproof("a line without tokens")
        return data

    def end(self):
        if self.at < len(self.data) or self.lines.take() is not None:
            raise Multiproof("the proof has further tokens")


def bit_of(key, depth):
    return key[depth // 8] >> (7 - depth % 8) & 1


def multiproof(claims, tokens, start=0, end=None, depth=0):
    """(hash, is a branch, is empty) of the subtree whose claims are those from start to end, sorted by key."""
    end = len(claims) if end is None else end
    token = tokens.next(1)[0]
    below = claims[start:end] if token in (0, 2, 3) else []
    if token == 0:
        if any(value is not None for _, value in below):
            raise Multiproof("a key with a value is absent")
        return bytes(32), False, True
    if token == 1 and start == end:
        return tokens.next(32), True, False
    if start == end or token not in (2, 3, 4):
        raise Multiproof("a token does not fit the claimed keys")
    if token == 2:
        key, value = tokens.next(32), tokens.next(32)
        if any(bit_of(key, bit) != bit_of(below[0][0], bit) for bit in range(depth)):
            raise Multiproof("a leaf is not below its subtree")
        if any(stated is not None or claimed == key for claimed, stated in below):
            raise Multiproof("a leaf says otherwise than a claim")
        return tagged("map-leaf", key, value), False, False
    if token == 3:
        found = [claim for claim in below if claim[1] is not None]
        if len(found) != 1:
            raise Multiproof("one leaf is not one claimed value")
        return tagged("map-leaf", *found[0]), False, False
    if depth >= 256:
        raise Multiproof("deeper than a key")
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if bit_of(claims[middle][0], depth) else (middle + 1, high)
    left = multiproof(claims, tokens, start, low, depth + 1)
    right = multiproof(claims, tokens, low, end, depth + 1)
    if not left[1] and not right[1] and (left[2] or right[2]):
        raise Multiproof("a branch has fewer than two keys")
    return tagged("map-node", left[0], right[0]), True, False


class GrowingRoot:
    """The root of a tree that grows leaf by leaf (RFC 6962 section 2.1)."""

    def __init__(self):
        self.nodes = []

    def add(self, leaf):
        width = 1
        while self.nodes and self.nodes[-1][1] == width:
            leaf, width = node_hash(self.nodes.pop()[0], leaf), 2 * width
        self.nodes.append((leaf, width))

    def root(self):
        hashes = [node for node, _ in self.nodes]
        if not hashes:
            return sha256(b"")
        root = hashes.pop()
        while hashes:
            root = node_hash(hashes.pop(), root)
        return root


def log_row(line):
    """(log, cause, entry_hash, event or None, reason or None), or None."""
    cells = tsv_cells(line, len(LOG_COLUMNS)) if line is not None else None
    if cells is None:
        return None
    log, cause, entry_hash, event, reason = cells
    numbers = decimal(log), decimal(cause), None if event is None else decimal(event)
    if None in numbers[:2] or not is_hash(entry_hash) or (event is not None and numbers[2] is None):
        return None
    if reason not in (None, "OUT_OF_WINDOW", "WITHHELD") or (event is None) == (reason is None):
        return None
    return numbers[0], numbers[1], entry_hash, numbers[2], reason


class Bundle:
    def __init__(self, archive, findings, options):
        self.archive, self.findings, self.options = archive, findings, options
        self.entries = archive.entries
        self.bytes = archive.whole("manifest.json")
        self.manifest = self.read_manifest()
        self.tenant = self.manifest["scope"]["tenant_id"]
        self.full = any(one["path"] in FULL for one in self.manifest["files"])
        self.keys = None if options.get("--keys") is None else read_key_set(options["--keys"])

    def read_manifest(self):
        try:
            manifest = read_canonical(self.bytes.decode("utf-8"))
        except (UnicodeDecodeError, NotCanonical) as fault:
            raise Broken("MANIFEST_NOT_CANONICAL", "manifest.json", "not in the form of RFC 8785") from fault
        check_shape(manifest)
        self.findings.told["manifest"] = "RFC 8785"
        return manifest

    def judge(self):
        manifest, ledger = self.manifest, self.manifest["ledger"]
        self.findings.bundle = {
            "bundle_id": manifest["bundle_id"], "bundle_type": manifest["bundle_type"], "tenant_id": self.tenant,
            "sealed_at": manifest["sealed_at"], "signing_key_id": manifest["signing_key_id"], "origin": ledger["origin"],
            "tree_size": ledger["tree_size"], "root_hash": ledger["root_hash"],
            "content_digest": manifest["content_digest"], "profile": "full" if self.full else "minimal",
            "counts": {name: manifest["counts"][name] for name in COUNTS}}
        if "consent" in manifest:
            self.findings.bundle["consent"] = {
                "purpose": manifest["consent"]["purpose"],
                "withheld": [{name: one[name] for name in ("reason", "events", "documents")}
                             for one in manifest["consent"]["withheld"]]}
        self.signatures()
        self.key(self.timestamp())
        self.listing()
        size, root = self.checkpoint()
        self.sealing()
        self.content(size, root)
        self.documents()
        self.files()
        if not self.full:
            self.findings.notes.append("A minimal bundle: that its records are those of the ledger, and stand in its tree, could not be checked.")
        if "consent" in manifest:
            self.findings.not_checked.append("Whether consent was judged rightly for the bundle's purpose, and how much it keeps out: those stand under the bundle's signature alone.")
        self.findings.not_checked.append("Legal holds and the certificate: they stand under the bundle's signature alone. A purpose, recipient or hash that an act does not disclose is `-` in chain.tsv.")

    def broken(self, *found):
        self.findings.broken(*found)

    def signatures(self):
        jwk, key_id = self.manifest["signing_public_key_jwk"], self.manifest["signing_key_id"]
        key = base64url_strict(jwk["x"])
        if key is None or len(key) != 32:
            self.broken("signature", "KEY_FORM", "manifest.json", "the public key is not 32 bytes of Ed25519")
            return
        if not strong_point(key):
            self.broken("signature", "KEY_WEAK", "manifest.json", "the public key has low order or another encoding")
            return
        if base64url(sha256(b'{"crv":"Ed25519","kty":"OKP","x":"%s"}' % jwk["x"].encode())) != key_id:
            self.broken("signature", "KEY_ID_MISMATCH", "manifest.json", "signing_key_id is not the thumbprint of the key")
        entry = self.entries.get("signature.sig")
        if entry is None or entry.size != 64:
            self.broken("signature", "SIGNATURE_FORM", "signature.sig", "missing, or not 64 bytes")
        elif not ed25519(key, self.bytes, self.archive.whole("signature.sig")):
            self.broken("signature", "SIGNATURE_MISMATCH", "signature.sig", "not a signature of this key over manifest.json")
        inner = base64url_strict(self.manifest["signature"])
        unsigned = canonical({name: value for name, value in self.manifest.items() if name != "signature"}).encode()
        if inner is None or len(inner) != 64 or not ed25519(key, unsigned, inner):
            self.broken("signature", "MANIFEST_SIGNATURE_MISMATCH", "manifest.json", "the signature inside the manifest is not of this key over it")
        self.findings.told["signature"] = "Ed25519, key " + key_id

    def timestamp(self):
        data = self.options.get("--timestamp")
        if data is None:
            self.findings.not_checked.append("When it was signed, by the word of a third party: give a time stamp (--timestamp FILE), if there is one.")
            return None
        stamped, when, token = read_timestamp(data)
        entry = self.entries.get("signature.sig")
        if entry is None or entry.size != 64:
            return None
        signature = self.archive.whole("signature.sig")
        if stamped is None:
            self.findings.notes.append("The time stamp uses another hash function than SHA-256 and was not checked.")
            return None
        if stamped != sha256(signature):
            self.broken("timestamp", "TIMESTAMP_OTHER", "signature.sig", "the time stamp is over other bytes")
            return None
        authorities = self.options.get("--tsa-ca")
        if authorities is None:
            self.findings.notes.append("The time stamp is over this signature and says %s; whether its authority signed it was not checked (--tsa-ca FILE)." % when)
            return None
        words = "ts -verify -data {data} -in {token} -token_in -CAfile {authorities}".split()
        if not openssl(words, {"data": signature, "token": token, "authorities": authorities}):
            self.broken("timestamp", "TIMESTAMP_SIGNATURE", "signature.sig", "the time stamp is not of the authority that you trust")
            return None
        self.findings.told["timestamp"] = when + ", by the authority that you trust"
        return when

    def key(self, stamped_at):
        key_id, pinned = self.manifest["signing_key_id"], self.options.get("--key") or []
        if pinned:
            if key_id in pinned:
                self.findings.pinned = True
            else:
                self.broken("key", "KEY_NOT_TRUSTED", key_id, "signed by another key than the one given")
        if self.keys is None:
            if not pinned:
                self.findings.not_checked.append("Whose key it is: give its thumbprint (--key), got by another way than this bundle.")
            self.findings.not_checked.append("Whether the key was revoked: give the published keys (--keys FILE).")
            if self.findings.pinned:
                self.findings.told["key"] = "pinned " + key_id
            return
        x = self.manifest["signing_public_key_jwk"]["x"]
        key = next((one for one in self.keys if one["x"] == x and one["purpose"] == "BUNDLE"), None)
        if key is None:
            self.broken("key", "KEY_UNKNOWN", key_id, "the published keys hold no such key for bundles")
            return
        self.findings.pinned = True
        self.key_life(key, key_id, self.manifest["sealed_at"], stamped_at)
        self.findings.told["key"] = "%s, %s" % (key_id, key["status"])

    def key_life(self, key, key_id, sealed_at, stamped_at):
        compromised, since = key["revoked"] or (False, None)
        if since is not None and sealed_at >= since:
            code = "KEY_COMPROMISED" if compromised else "KEY_REVOKED"
            self.broken("key", code, key_id, "not to be trusted from %s; sealed at %s" % (since or "an unknown time", sealed_at))
            return
        if key["from"] is None or sealed_at < key["from"]:
            self.broken("key", "KEY_NOT_ACTIVE_YET", key_id, "the key did not sign yet at " + sealed_at)
        elif key["ended"] is not None and sealed_at >= key["ended"][1]:
            self.broken("key", "KEY_NO_LONGER_ACTIVE", key_id, "%s at %s; sealed at %s" % (*key["ended"], sealed_at))
        if compromised and not (stamped_at is not None and stamped_at < since):
            self.findings.notes.append(
                "Others may have had the key since %s. That the bundle was sealed before rests on its own word: "
                "a time stamp, or a checkpoint that you kept, from before would show it." % since)

    def listing(self):
        listed = []
        if self.full and not ("map" in self.manifest and "logs" in self.manifest):
            self.broken("map", "MAP_MISSING", "manifest.json", "a full bundle names its state map and its logs")
        for one in self.manifest["files"]:
            path = one["path"]
            if path in MAP_FILES and "map" not in self.manifest:
                self.broken("files", "FILE_NAME", path, "a file of a map, and the manifest names none")
            if path in listed:
                self.broken("files", "FILE_LISTED_TWICE", path, "the manifest lists the file twice")
                continue
            if path in UNLISTED or not (path in FIXED or DOCUMENT.match(path)):
                self.broken("files", "FILE_NAME", path, "no file that a bundle lists")
            elif path not in self.entries:
                self.broken("files", "FILE_MISSING", path, "listed, and not in the archive")
            listed.append(path)
        for path in ["chain.tsv", "events.jsonl"] + (FULL if self.full else []) + (
                MAP_FILES if "map" in self.manifest else []):
            if path not in listed:
                self.broken("files", "FILE_NOT_LISTED", path, "the manifest does not list it")
        expected = (UNLISTED if self.full else UNLISTED[:2]) + listed
        for path in self.entries:
            if path not in expected:
                self.broken("files", "FILE_UNLISTED", path, "in the archive, and not listed in the manifest")
        given = [path for path in self.entries if path in expected]
        if given != list(dict.fromkeys(path for path in expected if path in self.entries)):
            self.broken("archive", "ZIP_ORDER", "", "not in the manifest's order")

    def log_keys(self):
        """The origin of the log's checkpoints, and the keys that the caller trusts."""
        ledger = self.manifest["ledger"]
        origin = "%s/inc-%d" % (ledger["origin"], ledger["incarnation"])
        keys = [read_verifier(text) for text in self.options.get("--checkpoint-key") or []]
        return origin, keys + [note_key(origin, key["public_key"]) for key in self.keys or [] if key["purpose"] == "CHECKPOINT"]

    def sealing(self):
        """The log holds the fact bundle.sealing of this very manifest, under a checkpoint after the bundle's."""
        path = "proofs/sealing.json"
        if not self.full:
            return
        broken = lambda code, detail: self.broken("sealing", code, path, detail)
        if path not in self.entries:
            broken("SEALING_MISSING", "the entry is missing")
            return
        try:
            small = self.entries[path].size <= 2 ** 20
            value = read_canonical(self.archive.whole(path).decode("utf-8") if small else "")
            check_form(value, SEALING)
            sound = True
        except (UnicodeDecodeError, NotCanonical, Broken):
            sound = False
        if not sound:
            broken("SEALING_FORM", "not the proof of a fact")
            return
        self.sealing_proof(value, broken)
        row = dict(value["header"], seed=None, tree_index=value["tree_index"])
        fields = self.act_fields(row, canonical(value["act"]))
        if fields is None:
            broken("SEALING_FACT", "the record is not the one that its header commits to")
        elif not self.sealing_fits(row, fields):
            broken("SEALING_OTHER", "the fact is of another bundle, scope or manifest")
        self.findings.told["sealing"] = "entry %d of the tree" % value["tree_index"]

    def sealing_proof(self, value, broken):
        ledger, index = self.manifest["ledger"], value["tree_index"]
        origin, keys = self.log_keys()
        try:
            note = Note(value["note"])
        except ValueError:
            note = None
        proof = read_block_proof(value["proof"])
        if note is None or proof is None:
            broken("SEALING_FORM", "not the proof of a fact")
            return
        if note.origin != origin or note.size <= ledger["tree_size"]:
            broken("SEALING_CHECKPOINT", "not a later checkpoint of the same log")
        entry = bytes.fromhex(self.header_hash(value["header"]))
        block = index // Inclusion.BLOCK
        placed = ledger["tree_size"] <= index < note.size and proof[0] == block
        if not placed or root_of_block(proof, [(index, sha256(b"\0", entry))], note.size) != note.root:
            broken("SEALING_PROOF", "the fact is not proven in the checkpoint's tree")
        standing = note.standing(keys)
        if standing == "forged" or (standing == "unknown-key" and keys):
            broken("SEALING_SIGNATURE", "the checkpoint of the fact does not bear the log's signature")

    def sealing_fits(self, row, fields):
        manifest = self.manifest
        unsigned = canonical({name: value for name, value in manifest.items() if name != "signature"}).encode()
        told = {"/event_type": "bundle.sealing", "/payload/fact": "eas.fact/v2", "/payload/subject/kind": "bundle",
                "/payload/subject/id": manifest["bundle_id"], "/payload/content_digest": manifest["content_digest"],
                "/payload/manifest_sha256": sha256(unsigned).hex()}
        for name in ("tenant_id", "member_id", "matter_id", "incident_id", "from", "to"):
            told["/payload/state/scope/" + name] = manifest["scope"].get(name)
        return row["source_system"] == "_records" and all(fields.get(pointer) == value for pointer, value in told.items())

    def checkpoint(self):
        ledger = self.manifest["ledger"]
        size, root = ledger["tree_size"], bytes.fromhex(ledger["root_hash"])
        if self.manifest["worm_head_hash"] != ledger["root_hash"]:
            self.broken("checkpoint", "HEAD_HASH_MISMATCH", "manifest.json", "worm_head_hash is not the root of the checkpoint")
        origin, keys = self.log_keys()
        if self.full:
            own = self.own_note(keys, origin, size, root)
            if own is None:
                return size, root
            size, root = own.size, own.root
        self.kept(keys, origin, size, root)
        return size, root

    def own_note(self, keys, origin, size, root):
        path = "proofs/checkpoint.note"
        if path not in self.entries:
            return None
        broken = lambda code, detail: self.broken("checkpoint", code, path, detail)
        try:
            note = Note(self.archive.whole(path).decode("utf-8") if self.entries[path].size <= 65536 else "")
        except ValueError:
            broken("CHECKPOINT_FORM", "not a checkpoint")
            return None
        if note.origin != origin:
            broken("CHECKPOINT_ORIGIN", "a checkpoint of another log, or another incarnation of it")
        if note.size != size or note.root != root:
            broken("CHECKPOINT_MISMATCH", "size or root are not those of the manifest")
        if not any(name == note.origin for name, _, _ in note.signatures):
            broken("CHECKPOINT_SIGNATURE", "not signed by its log")
        standing = note.standing(keys)
        if standing == "forged":
            broken("CHECKPOINT_SIGNATURE", "the signature is not of the log's key")
        elif standing == "unknown-key" and keys:
            broken("CHECKPOINT_SIGNATURE", "signed by none of the keys that were given")
        elif standing == "unknown-key":
            self.findings.not_checked.append("The log's own signature on the checkpoint: give its key (--checkpoint-key) or the published keys (--keys FILE). The bundle's signature covers the note.")
        self.findings.told["checkpoint"] = "%s, %d entries, root %s%s" % (
            note.origin, note.size, note.root.hex(), ", signed" if standing == "signed" else "")
        return note

    def kept(self, keys, origin, size, root):
        if self.options.get("--checkpoint") is None:
            self.findings.not_checked.append("That the log was not rewritten before this checkpoint: compare with one that you kept (--checkpoint FILE).")
            return
        broken = lambda code, detail: self.broken("checkpoint", code, "kept checkpoint", detail)
        try:
            note = Note(self.options["--checkpoint"])
        except ValueError as fault:
            raise Usage("--checkpoint takes a signed checkpoint") from fault
        if note.origin != origin:
            bare = lambda text: re.sub(r"/inc-[0-9]+\Z", "", text)
            if bare(note.origin) != bare(origin):
                broken("KEPT_OTHER_LOG", "the checkpoint that you kept is of another log")
            else:
                self.findings.notes.append("The checkpoint that you kept is of another incarnation of the log: its history was given up, and cannot be compared.")
            return
        if note.standing(keys) == "forged":
            broken("KEPT_SIGNATURE", "the checkpoint that you kept does not bear the log's signature")
        (first, first_root), (second, second_root) = sorted([(note.size, note.root), (size, root)], key=lambda tree: tree[0])
        proof = self.options.get("--consistency")
        if proof is not None:
            proof = [base64_strict(line) for line in proof.split("\n") if line != ""]
            if any(one is None or len(one) != 32 for one in proof):
                raise Usage("--consistency takes hashes in base64, one a line")
        if first != second and proof is None:
            self.findings.notes.append(
                "The checkpoint that you kept has %d entries, the bundle's %d: that one extends the other takes a proof "
                "(GET /v1/ledger/consistency?first=%d&second=%d, --consistency FILE)." % (note.size, size, first, second))
            return
        if not consistent(first, first_root, second, second_root, [] if first == second else proof):
            broken("KEPT_INCONSISTENT", "the checkpoint that you kept and that of the bundle are not of one history")

    def content(self, size, root):
        manifest, documents = self.manifest, self.manifest["documents"]
        digest = hashlib.sha256(b'eas:content:v1\0{"documents":[')
        digest.update(",".join(canonical({"sha256": one["sha256"], "state": one["state"]}) for one in documents).encode())
        digest.update(b'],"events":[')
        self.unmet = {event for one in documents for event in one["referenced_by"]}
        totals = self.walk(size, root, digest)
        digest.update(b'],"scope":' + canonical(manifest["scope"]).encode() + b"}")
        if digest.hexdigest() != manifest["content_digest"]:
            self.broken("content", "CONTENT_DIGEST", "manifest.json", "content_digest is not that of events, documents and scope")
        states = lambda state: sum(one["state"] == state for one in documents)
        found = {"events": totals["events"], "documents": len(documents), "redacted": totals["REDACTED"] + states("REDACTED"),
                 "disposed": totals["DISPOSED"] + states("DISPOSED"), "quarantined": states("QUARANTINED")}
        for name, count in found.items():
            if manifest["counts"][name] != count:
                self.broken("content", "COUNT", "counts/" + name, "says %d, and there are %d" % (manifest["counts"][name], count))
        for event in sorted(self.unmet):
            self.broken("content", "REFERENCE", event, "a document refers to an event that is not in the bundle")
        if not self.full and totals["REDACTED"] + totals["DISPOSED"] > 0:
            self.broken("content", "MINIMAL_WITH_GAPS", "manifest.json", "a minimal bundle cannot show what a redacted or disposed event was")
        self.findings.told["content"] = "%d events, %d documents" % (found["events"], found["documents"])

    def walk(self, size, root, digest):
        """Manifest, events.jsonl, chain.tsv, ledger.tsv and proofs side by side: all stand in tree order."""
        names = ["events.jsonl", "chain.tsv"] + (
            ["proofs/ledger.tsv", "proofs/inclusion.jsonl", "proofs/facts.jsonl"] if self.full else []) + (
            MAP_FILES if self.full and "map" in self.manifest else [])
        lines = {name: Lines(self.archive, name) for name in names}
        events, ledger = lines["events.jsonl"], lines.get("proofs/ledger.tsv")
        self.links = Links(self.findings, self.manifest)
        chain = Chain(self.findings, self.manifest, lines["chain.tsv"], self.links)
        if ledger is not None and ledger.take() != "\t".join(LEDGER_COLUMNS):
            self.broken("chain", "LEDGER_FORM", "proofs/ledger.tsv", "the header row is not that of a bundle")
        inclusion = Inclusion(self.findings, lines["proofs/inclusion.jsonl"], size, root) if self.full else None
        self.redactions = {(one["redaction_id"], one["id"]) for one in self.manifest["redactions"]}
        totals = {"events": 0, "whole": 0, "INCLUDED": 0, "REDACTED": 0, "DISPOSED": 0}
        self.last_index, self.facts, self.hidden_by = -1, Facts(), {}
        self.listed, self.claims = [], []
        logs = self.manifest.get("logs", [])
        self.unnamed = {one["id"]: one.get("member_id") for one in logs if one["kind"] == "member-log"}
        for item in self.manifest["events"]:
            line = events.take()
            row = None if ledger is None or line is None else ledger.take()
            if line is None or (ledger is not None and row is None):
                name = "events.jsonl" if line is None else "proofs/ledger.tsv"
                self.broken("content", "EVENT_MISSING", name, "ends after %d events; the manifest lists more" % totals["events"])
                break
            totals["events"] += 1
            self.event(item, line, row, totals, digest, chain, inclusion)
        if events.take() is not None:
            self.broken("content", "EVENT_LINE_EXTRA", "events.jsonl", "a line of no event of the manifest")
        chain.end()
        if ledger is not None:
            self.own_entries(chain.own_rows, ledger, lines["proofs/facts.jsonl"], inclusion)
            if "map" in self.manifest:
                self.state_map(lines["proofs/map.jsonl"], ledger, inclusion)
                self.logs(lines["proofs/logs.tsv"])
            self.hidden_events()
            if ledger.take() is not None:
                self.broken("chain", "LEDGER_ROW_EXTRA", "proofs/ledger.tsv", "a row of no entry of the bundle")
        if inclusion is not None:
            inclusion.end()
        for name, one in lines.items():
            if one.fault is not None:
                self.broken("content", "TEXT_" + one.fault, name, "not lines of UTF-8, each ended by LF")
        if self.full:
            told = self.findings.told
            told["events"] = "%d whole, %d redacted, %d disposed of" % (totals["whole"], totals["REDACTED"], totals["DISPOSED"])
            told["chain"] = "%d entries from their headers, %d neighbours link, %d of the service's own chains" % (
                totals["events"], self.links.adjacent, len(chain.own_rows))
            told["inclusion"] = "%d entries by proof" % inclusion.proven
        return totals

    def own_entries(self, rows, ledger, records, inclusion):
        """Acts of the service: ledger.tsv holds their headers behind those of the events, facts.jsonl their records."""
        inclusion.begin_anew()
        recorded = {}
        for own in rows:
            subject = "row %d" % own["n"]
            broken = lambda code, detail: self.broken("chain", code, subject, detail)
            line, record = ledger.take(), records.take()
            row = None if line is None else self.ledger_row(line)
            if record is None:
                broken("ACT_UNPROVEN", "facts.jsonl has no record of this row")
            if line is None:
                broken("OWN_ROW_UNPROVEN", "ledger.tsv has no header of this row")
            elif row is None:
                broken("LEDGER_FORM", "not a row of ledger.tsv")
            if row is None:
                continue
            source = row["source_system"]
            if (source, row["seq"], row["prev"], row["entry_hash"]) != own["entry"]:
                broken("OWN_ROW_MISMATCH", "chain.tsv and ledger.tsv say different things of the entry")
            if self.header_hash(row) != row["entry_hash"]:
                broken("ENTRY_HASH_MISMATCH", "the hash does not follow from the header")
            if not own["after"] < row["tree_index"] < own["before"]:
                broken("CHAIN_ORDER", "stands between other events than in the tree")
            if record is not None:
                self.act(own, row, record, broken)
            if row["recorded_at"] < recorded.get(source, ""):
                broken("TIME_REVERSED", "was recorded before the entry before it")
            recorded[source] = row["recorded_at"]
            inclusion.add(row["tree_index"], row["entry_hash"], subject)
        if records.take() is not None:
            self.broken("chain", "ACT_EXTRA", "proofs/facts.jsonl", "a record of no row of chain.tsv")

    def act(self, own, row, record, broken):
        """The row of an act must be the one that follows from the disclosed fields of its record."""
        fields = self.act_fields(row, record)
        if fields is None:
            broken("ACT_RECORD", "the record is not the one that its header commits to")
            return
        self.facts.add(fields, row)
        cells = act_cells(row["source_system"], fields)
        if cells is None:
            broken("ACT_FIELDS", "the record does not disclose time, action, subject and actor")
        elif own["line"] != tsv_line([own["n"]] + cells + [row["source_system"], row["seq"], row["prev"], row["entry_hash"]]):
            broken("ACT_ROW", "chain.tsv says otherwise than the record")

    def act_fields(self, row, record):
        """The disclosed fields by pointer, or None where the line is not of this entry."""
        try:
            value = read_canonical(record)
        except NotCanonical:
            return None
        if row["seed"] is None:
            faults = []
            shown = self.redacted_fields(value, row, {"event_id", "state", "disclosed", "hidden"}, faults.append)
            return None if faults else shown
        commit, fields = commitments(bytes.fromhex(row["seed"]), record, value)
        own = {"event_id": row["event_id"], "source_system": row["source_system"], "tenant_id": self.tenant}
        if (commit, fields) != (row["commit"], row["fields"]) or not isinstance(value, dict):
            return None
        if any(value.get(name) != text for name, text in own.items()):
            return None
        return {pointer: json.loads(text) for pointer, text in leaves(value)}

    def list_event(self, item, row, line):
        """What the logs and the map must say of an event."""
        self.listed.append((bytes.fromhex(item["entry_hash"]), item["tree_index"], row["member_tag"], item["state"]))
        if item["state"] != "INCLUDED":
            return
        self.claims += [(map_key(kind, item["event_id"]), None) for kind in ("disposal", "event-redaction")]
        tag = row["member_tag"]
        if tag is None or tag not in self.unnamed:
            return
        # All headers with one tag are of one member, so one record binds the tag to its member.
        member = self.unnamed.pop(tag)
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if (record.get("member_id") if isinstance(record, dict) else None) != member:
            self.broken("complete", "LOG_MEMBER", "proofs/logs.tsv", "a log is of another member than the manifest says")

    def claim(self, kind, subject):
        """The bundle holds the latest fact of the subject; without one there is none."""
        held = self.facts.held.get((kind, subject))
        value = None
        if held is not None:
            row = held[1]
            value = tagged("map-value", kind.encode(), struct.pack(">Q", row["tree_index"]), bytes.fromhex(row["entry_hash"]))
        self.claims.append((map_key(kind, subject), value))

    def state_map(self, lines, ledger, inclusion):
        """The entry map.committed, whose header is the last row of ledger.tsv, and one proof of every key."""
        manifest = self.manifest
        broken = lambda code, detail: self.broken("map", code, "proofs/map.jsonl", detail)
        for event, redaction in self.hidden_by.items():
            self.claim("disposal", event)
            if redaction is not None:
                self.claim("event-redaction", event)
        for one in manifest["documents"]:
            self.claim("document", one["document_id"])
            if one["state"] != "DISPOSED":
                self.claim("document-redaction", one["document_id"])
        for one in manifest["holds"]:
            self.claim("hold", one["hold_id"])
        if "matter_id" in manifest["scope"]:
            self.claim("matter", manifest["scope"]["matter_id"])
        for one in manifest.get("logs", []):
            value = tagged("map-log", struct.pack(">Q", one["count"]), bytes.fromhex(one["root"])) if one["count"] else None
            self.claims.append((map_key(one["kind"], one["id"]), value))
            if one["kind"] == "member-log":
                self.claim("member", one["id"])
        self.map_entry(lines.take(), ledger.take(), inclusion, broken)
        self.claims.sort(key=lambda claim: claim[0])
        if any(a[0] == b[0] for a, b in zip(self.claims, self.claims[1:])):
            broken("MAP_TWICE", "the manifest names something twice")
            return
        try:
            tokens = Tokens(lines)
            root = multiproof(self.claims, tokens)[0]
            tokens.end()
            if root.hex() != manifest["map"]["root"]:
                raise Multiproof("the proof does not lead to the root of the map")
        except Multiproof as fault:
            broken("MAP_PROOF", str(fault))
        self.findings.told["map"] = "%d keys" % len(self.claims)

    def map_entry(self, record, line, inclusion, broken):
        row = None if line is None else self.ledger_row(line)
        if record is None or row is None:
            broken("MAP_ENTRY", "the entry map.committed, or its header, is missing")
            return
        fields = None if row["seed"] is None else self.act_fields(row, record)
        index, stated = row["tree_index"], self.manifest["map"]
        told = {"/event_type": "map.committed", "/payload/map": "eas.map/v1", "/payload/tree_size": index,
                "/payload/root": stated["root"]}
        if (fields is None or row["source_system"] != "_map" or self.header_hash(row) != row["entry_hash"]
                or any(fields.get(pointer) != value for pointer, value in told.items())
                or stated["tree_size"] != index or self.manifest["ledger"]["tree_size"] != index + 1):
            broken("MAP_ENTRY", "not the entry of this map as the last leaf under the checkpoint")
        inclusion.add(index, row["entry_hash"], "map.committed")

    def logs(self, lines):
        """Every leaf of each log is an event of the bundle, or left out with its reason."""
        manifest, path = self.manifest, "proofs/logs.tsv"
        broken = lambda code, subject, detail: self.broken("complete", code, subject, detail)
        if lines.take() != "\t".join(LOG_COLUMNS):
            broken("LOG_FORM", path, "not the header row")
        self.logged, self.withheld, counted = set(), set(), []
        for number, log in enumerate(manifest.get("logs", [])):
            counts = dict.fromkeys(("INCLUDED", "REDACTED", "DISPOSED", "OUT_OF_WINDOW", "WITHHELD"), 0)
            subject, root = "logs/%d" % number, GrowingRoot()
            for found in range(log["count"]):
                row = log_row(lines.take())
                if row is None or row[0] != number:
                    broken("LOG_FORM", subject, "leaf %d is missing or has another form" % found)
                    break
                state = self.leaf(row, log, subject, broken)
                if state is not None:
                    counts[state] += 1
                root.add(sha256(b"\0", bytes.fromhex(row[2]), struct.pack(">Q", row[1])))
            if root.root().hex() != log["root"]:
                broken("LOG_ROOT", subject, "its leaves do not make its root")
            counted.append(dict({"kind": log["kind"], "id": log.get("member_id", log["id"]), "count": log["count"]}, **counts))
        if lines.take() is not None:
            broken("LOG_EXTRA", path, "a row of no log of the manifest")
        withheld = sum(one["events"] for one in manifest.get("consent", {"withheld": []})["withheld"])
        if len(self.withheld) != withheld:
            broken("LOG_WITHHELD", path, "%d withheld events; the manifest counts %d" % (len(self.withheld), withheld))
        if manifest["bundle_type"] != "MATTER":
            for event in range(len(self.listed)):
                if event not in self.logged:
                    broken("EVENT_UNLOGGED", "events/%d" % event, "in no log of the scope")
        self.log_names(broken, path)
        size = manifest["ledger"]["tree_size"]
        self.findings.completeness = {"tree_size": size, "logs": counted}
        total = sum(one["count"] for one in counted)
        self.findings.told["complete"] = "%d of %d events of %d logs at checkpoint %d" % (total, total, len(counted), size)
        if self.unnamed:
            self.findings.not_checked.append("That a member of the scope without a whole event in the bundle has no events: absence of a member is not proven.")

    def leaf(self, row, log, subject, broken):
        _, cause, entry_hash, event, reason = row
        scope = self.manifest["scope"]
        if event is None:
            allowed = "consent" in self.manifest if reason == "WITHHELD" else "from" in scope or "to" in scope
            if not allowed:
                broken("LOG_REASON", subject, reason + " is no reason in this bundle")
            if reason == "WITHHELD":
                self.withheld.add(entry_hash)
            return reason
        if event >= len(self.listed) or self.listed[event][0].hex() != entry_hash:
            broken("LOG_EVENT", subject, "a leaf names event %d, which is another" % event)
            return None
        _, index, tag, state = self.listed[event]
        self.logged.add(event)
        if log["kind"] == "member-log" and cause == index and tag != log["id"]:
            broken("LOG_TAG", subject, "event %d has the tag of another member" % event)
        return state

    def log_names(self, broken, path):
        """The logs that the scope asks for, each once and in order."""
        scope, logs = self.manifest["scope"], self.manifest.get("logs", [])
        wanted = [("member-log", member) for member in scope["member_ids"]]
        wanted += [(kind + "-log", scope[kind + "_id"]) for kind in ("matter", "incident") if kind + "_id" in scope]
        named = [(one["kind"], one.get("member_id") if one["kind"] == "member-log" else one["id"]) for one in logs]
        if named != wanted:
            broken("LOG_MISSING", path, "the logs are not those of the scope")
        for one in logs:
            held = self.facts.held.get(("member", one["id"])) if one["kind"] == "member-log" else None
            for pointer, member in (held[0] if held else {}).items():
                if pointer.startswith("/payload/state/merged_from/") and member not in scope["member_ids"]:
                    broken("LOG_MERGED", path, "a member that was merged into one of the scope is left out")

    def hidden_events(self):
        """Facts account for what is hidden of events."""
        for event, redaction in self.hidden_by.items():
            if redaction is None and not self.facts.has("disposal", event):
                self.broken("chain", "DISPOSAL_UNEXPLAINED", event, "no fact says that the record was disposed of")
            if redaction is not None and self.facts.state("event-redaction", event, "redaction_id") != redaction:
                self.broken("events", "REDACTION_UNPROVEN", event, "no fact says that this redaction applies")

    def event(self, item, line, row_line, totals, digest, chain, inclusion):
        row = None if row_line is None else self.ledger_row(row_line)
        if row_line is not None and row is None:
            self.broken("chain", "LEDGER_FORM", "row %d" % totals["events"], "not a row of ledger.tsv")
        sound = (isinstance(item, dict) and len(item) == 7 and isinstance(item.get("event_id"), str) and is_hash(item.get("sha256"))
                 and isinstance(item.get("source_system"), str) and is_hash(item.get("entry_hash"))
                 and is_count(item.get("seq")) and item["seq"] >= 1 and is_count(item.get("tree_index"))
                 and item.get("state") in ("INCLUDED", "REDACTED", "DISPOSED"))
        if not sound:
            self.broken("content", "EVENT_FORM", "events/%d" % (totals["events"] - 1), "not an event of a manifest")
            return
        event_id, state = item["event_id"], item["state"]
        if hashlib.sha256(line.encode()).hexdigest() != item["sha256"]:
            self.broken("events", "EVENT_HASH", event_id, "the line has another hash than the manifest says")
        same = ("event_id", "source_system", "seq", "entry_hash", "tree_index")
        if row is not None and any(row[name] != item[name] for name in same):
            self.broken("content", "EVENT_MISMATCH", event_id, "manifest and ledger.tsv say different things of the event")
        separator = "" if totals["events"] == 1 else ","
        digest.update((separator + canonical({name: item[name] for name in ("event_id", "sha256", "state")})).encode())
        if item["tree_index"] <= self.last_index:
            self.broken("chain", "TREE_ORDER", event_id, "not in the order of the tree")
        self.last_index = item["tree_index"]
        self.unmet.discard(event_id)
        totals[state] += 1
        if state == "DISPOSED":
            self.hidden_by[event_id] = None
        if state == "DISPOSED" and line != '{"event_id":%s,"state":"DISPOSED"}' % quoted(event_id):
            self.broken("events", "DISPOSED_LINE", event_id, "the line of a disposed event says more, or less, than that")
        if row is not None:
            if "map" in self.manifest:
                self.list_event(item, row, line)
            self.record(line, item, row, totals)
            self.entry(row, inclusion)
        chain.find(item, row)

    @staticmethod
    def ledger_row(line):
        cells = tsv_cells(line, len(LEDGER_COLUMNS))
        if cells is None:
            return None
        row = dict(zip(LEDGER_COLUMNS, cells))
        row["seq"], row["tree_index"] = decimal(row["seq"]), decimal(row["tree_index"])
        sound = (row["event_id"] is not None and row["source_system"] is not None and row["seq"] is not None
                 and row["seq"] >= 1 and row["tree_index"] is not None and is_instant(row["recorded_at"])
                 and (row["seed"] is None or is_hash(row["seed"]))
                 and (row["member_tag"] is None or is_hash(row["member_tag"]))
                 and all(is_hash(row[name]) for name in ("commit", "fields", "prev", "entry_hash")))
        return row if sound else None

    def record(self, line, item, row, totals):
        event_id, seed, state = row["event_id"], row["seed"], item["state"]
        broken = lambda code, detail: self.broken("events", code, event_id, detail)
        if (seed is not None) != (state == "INCLUDED"):
            broken("SEED", "a seed travels with fully disclosed events, and with those alone")
        if state == "DISPOSED" or (state == "INCLUDED" and seed is None):
            return
        totals["whole"] += state == "INCLUDED"
        try:
            value = read_canonical(line)
        except NotCanonical:
            broken("RECORD_NOT_CANONICAL", "the line is not in the form of RFC 8785")
            return
        if state == "REDACTED":
            self.redacted(value, row, broken)
            return
        commit, fields = commitments(bytes.fromhex(seed), line, value)
        if commit != row["commit"]:
            broken("COMMIT_MISMATCH", "the record and its seed do not make the committed hash")
        if fields != row["fields"]:
            broken("FIELDS_MISMATCH", "the fields of the record and its seed do not make the committed hash")
        own = {"event_id": event_id, "source_system": row["source_system"], "tenant_id": self.tenant}
        if not isinstance(value, dict) or any(value.get(name) != text for name, text in own.items()):
            broken("IDENTITY_MISMATCH", "the record says another event, source or tenant than its header")

    def redacted(self, value, row, broken):
        faults = []
        names = {"event_id", "state", "disclosed", "hidden", "redaction_id"}
        self.redacted_fields(value, row, names, faults.append)
        for fault in faults:
            broken("REDACTED_LINE", fault)
        formed = isinstance(value, dict) and is_text(value.get("redaction_id")) and "not a redacted line" not in faults
        self.hidden_by[row["event_id"]] = value["redaction_id"] if formed else ""
        if not faults and (value["redaction_id"], row["event_id"]) not in self.redactions:
            broken("REDACTION_UNLISTED", "the manifest does not list this redaction")

    def redacted_fields(self, value, row, names, fault):
        """The disclosed fields of a redacted line by pointer; tells each fault."""
        if not isinstance(value, dict) or set(value) != names or value["state"] != "REDACTED" or not is_text(
                value.get("redaction_id", "")) or not isinstance(value["disclosed"], list) or not isinstance(
                value["hidden"], list):
            fault("not a redacted line")
            return {}
        disclosed, hidden = value["disclosed"], value["hidden"]
        form = lambda one: (isinstance(one, list) and len(one) == 3 and isinstance(one[0], str)
                            and re.match(r"[0-9a-f]{32}\Z", one[0]) and isinstance(one[1], str)
                            and (not isinstance(one[2], (list, dict)) or not one[2]))
        if not all(map(form, disclosed)) or not all(map(is_hash, hidden)):
            fault("not a redacted line")
            return {}
        shown = {pointer: leaf for _, pointer, leaf in disclosed}
        digests = [tagged("field", bytes.fromhex(salt), ("[%s,%s]" % (quoted(pointer), canonical(leaf))).encode())
                   for salt, pointer, leaf in disclosed] + [bytes.fromhex(one) for one in hidden]
        own = {"event_id": row["event_id"], "source_system": row["source_system"], "tenant_id": self.tenant}
        if len(shown) != len(disclosed) or len(digests) % 8 != 0:
            fault("a field is disclosed twice, or the digests are not padded")
        if value["event_id"] != row["event_id"] or any(shown.get("/" + name) != text for name, text in own.items()):
            fault("the line is not of this event, source and tenant")
        if any(pointer not in shown for pointer in ALWAYS_DISCLOSED):
            fault("what every line must show is not disclosed")
        if tagged("fields", *sorted(digests)).hex() != row["fields"]:
            fault("the digests do not make the committed fields")
        return shown

    def header_hash(self, row):
        header = {name: row[name] for name in (
            "commit", "event_id", "fields", "member_tag", "prev", "recorded_at", "seq", "source_system")}
        header.update({"tenant_id": self.tenant, "v": 2})
        return tagged("link", canonical(header).encode()).hex()

    def entry(self, row, inclusion):
        if self.header_hash(row) != row["entry_hash"]:
            self.broken("chain", "ENTRY_HASH_MISMATCH", row["event_id"], "the hash does not follow from the header")
        self.links.add(row["event_id"], row["source_system"], row["seq"], row["prev"], row["entry_hash"], row["recorded_at"])
        inclusion.add(row["tree_index"], row["entry_hash"], row["event_id"])

    def documents(self):
        shown, seen = set(), set()
        for one in self.manifest["documents"]:
            broken = lambda code, detail: self.broken("documents", code, one["document_id"], detail)
            digest, state = one["sha256"], one["state"]
            if one["document_id"] in seen:
                broken("DOCUMENT_TWICE", "the manifest lists the document twice")
            seen.add(one["document_id"])
            if state in ("INCLUDED", "REDACTED"):
                entry = self.entries.get("documents/%s" % digest)
                if entry is None:
                    broken("DOCUMENT_MISSING", state + ", and its content is not in the archive")
                elif entry.size != one["size"]:
                    broken("DOCUMENT_SIZE", "%d bytes, said to be %d" % (entry.size, one["size"]))
                if digest is not None:
                    shown.add(digest)
            elif state == "DISPOSED" and digest is not None:
                broken("DOCUMENT_STATE", "disposed of, and still named by the hash of its content")
            if self.full:
                self.document_fact(one, broken)
        for name in self.entries:
            found = DOCUMENT.match(name)
            if found and found.group(1) not in shown:
                self.broken("documents", "DOCUMENT_UNNAMED", name, "content of no document of the manifest")
        self.findings.told["documents"] = "%d contents of %d documents" % (len(shown), len(seen))

    def document_fact(self, one, broken):
        """The latest fact of the document, or of its redaction, names what is shown."""
        document, state = one["document_id"], one["state"]
        says = lambda kind, prefix: all(self.facts.state(kind, document, prefix + name) == one[name] for name in ("sha256", "size"))
        status = self.facts.state("document", document, "status")
        if not self.facts.has("document", document):
            broken("DOCUMENT_UNPROVEN", "the bundle holds no fact of it")
        elif state == "REDACTED":
            if not self.facts.has("document-redaction", document):
                broken("DOCUMENT_UNPROVEN", "the bundle holds no fact of its redaction")
            elif not says("document-redaction", "rendition/"):
                broken("DOCUMENT_FACT", "the fact of its redaction names another rendition")
        elif state == "DISPOSED":
            if status != "DISPOSED":
                broken("DOCUMENT_FACT", "its latest fact does not say that it was disposed of")
        elif not says("document", ""):
            broken("DOCUMENT_FACT", "its latest fact names other content")
        elif state == "INCLUDED" and status != "AVAILABLE":
            broken("DOCUMENT_FACT", "its latest fact does not say that it is available")

    def files(self):
        listed = {one["path"]: one for one in self.manifest["files"]}
        total = 0
        for name, entry in self.entries.items():
            digest, crc = hashlib.sha256(), 0
            for chunk in self.archive.chunks(entry):
                digest.update(chunk)
                crc = zlib.crc32(chunk, crc)
            total += entry.size
            if crc != entry.crc:
                self.broken("archive", "ZIP_CRC", name, "the CRC is not that of the bytes")
            if name in listed:
                if listed[name]["size"] != entry.size:
                    self.broken("files", "FILE_SIZE", name, "%d bytes, listed with %d" % (entry.size, listed[name]["size"]))
                if listed[name]["sha256"] != digest.hexdigest():
                    self.broken("files", "FILE_HASH", name, "SHA-256 %s, listed with %s" % (digest.hexdigest(), listed[name]["sha256"]))
            found = DOCUMENT.match(name)
            if found and found.group(1) != digest.hexdigest():
                self.broken("documents", "DOCUMENT_HASH", name, "the content is not what its name says")
        self.findings.told["files"] = "%d entries, %d bytes" % (len(self.entries), total)


# --- The command ----------------------------------------------------------------------------------------------------

def verify(path, options):
    findings = Findings()
    try:
        file = open(path, "rb")
    except OSError as fault:
        raise Usage("cannot read " + path) from fault
    with file:
        size = os.fstat(file.fileno()).st_size
        check = "archive"
        try:
            archive = Archive(file, findings)
            if archive.sound:
                findings.told["archive"] = "%d entries, stored, without a gap" % archive.count
            check = "manifest"
            entry = archive.entries.get("manifest.json")
            if entry is None or entry.size > 500 * 2 ** 20:
                raise Broken("MANIFEST_MISSING", "manifest.json", "missing, or larger than any bundle has")
            bundle = Bundle(archive, findings, options)
        except Broken as fault:
            findings.broken(check, *fault.args)
        else:
            bundle.judge()
        return findings.report(size)


MEANINGS = {
    "VALID": "Signed by the key that you trust; nothing was changed since, and every entry stands in the log.",
    "INTEGRITY_ONLY": "Nothing was changed since it was signed. Who signed it is not known: no key was given.",
    "VALID_WITH_NOTES": "Signed by the key that you trust, and nothing was changed since; read the notes.",
    "INVALID": "Do not rely on it: see the breaks.",
}


def consent_text(consent):
    rows = ["%d events and %d documents (%s)" % (one["events"], one["documents"], one["reason"]) for one in consent["withheld"]]
    told = "Made for %s; consent keeps out %s" % (consent["purpose"], ", ".join(rows) or "nothing")
    return re.sub(r"[\x00-\x1f\x7f]", "?", told.encode("ascii", "backslashreplace").decode())


def report_fails(report):
    return any(one["name"] in ("map", "complete") and one["status"] == "failed" for one in report["checks"])


def report_text(report):
    lines, bundle = [], report["bundle"]
    if bundle:
        shown = {name: str(value).encode("ascii", "backslashreplace").decode() for name, value in bundle.items()}
        lines += ["Bundle {bundle_id} ({bundle_type}, {profile}) of {tenant_id}, sealed {sealed_at}".format(**shown),
                  "Key {signing_key_id}".format(**shown),
                  "Log {origin}, {tree_size} entries, root {root_hash}".format(**shown)]
        lines += [consent_text(bundle["consent"])] if "consent" in bundle else []
        lines += [""]
    marks = {"ok": "ok  ", "failed": "FAIL", "not_checked": "-   "}
    lines += ["%s %s: %s" % (marks[one["status"]], one["title"], one["detail"]) for one in report["checks"]]
    complete = report["completeness"] if not report_fails(report) else None
    for one in (complete or {"logs": []})["logs"]:
        out, withheld = one["OUT_OF_WINDOW"], one["WITHHELD"]
        told = " (left out by hash: %d out of the window, %d withheld)" % (out, withheld) if out + withheld else ""
        listed = one["INCLUDED"] + one["REDACTED"] + one["DISPOSED"] + out + withheld
        lines += ["complete: %d of %d events of this %s at checkpoint %d%s: %s" % (
            listed, one["count"], one["kind"][:-4], complete["tree_size"], told,
            one["id"].encode("ascii", "backslashreplace").decode())]
    breaks = report["breaks"]
    if breaks:
        lines += ["", "Breaks:"] + ["  %s %s: %s" % (one["code"], one["subject"], one["detail"]) for one in breaks[:100]]
        hidden = len(breaks) - len(breaks[:100]) + report["breaks_not_listed"]
        lines += ["  and %d more" % hidden] if hidden else []
    for title, texts in (("Notes:", report["notes"]), ("Not checked:", report["not_checked"])):
        if texts:
            lines += ["", title] + ["  " + text for text in texts]
    return "\n".join(lines + ["", "%s: %s" % (report["verdict"], MEANINGS[report["verdict"]]), ""])


def read_file(path, is_text):
    try:
        with open(path, "rb") as file:
            data = file.read()
        return data.decode("utf-8") if is_text else data
    except (OSError, UnicodeDecodeError) as fault:
        raise Usage("cannot read " + path) from fault


def read_command(words):
    texts, blobs, values = ("--keys", "--checkpoint", "--consistency"), ("--timestamp", "--tsa-ca"), ("--key", "--checkpoint-key")
    options, bundles, words = {"json": False}, [], list(words)
    while words:
        word = words.pop(0)
        if word == "--json":
            options["json"] = True
        elif word in texts + blobs + values:
            if not words:
                raise Usage(word + " takes a value")
            given = words.pop(0)
            if word in values:
                options.setdefault(word, []).append(given)
            elif word in options:
                raise Usage(word + " is given twice")
            else:
                options[word] = read_file(given, word in texts)
        elif word.startswith("-"):
            raise Usage("unknown option " + word)
        else:
            bundles.append(word)
    if len(bundles) != 1:
        raise Usage("give one bundle")
    if not all(re.match(r"[A-Za-z0-9_-]{43}\Z", key) for key in options.get("--key", [])):
        raise Usage("--key takes an RFC 7638 thumbprint of SHA-256")
    return bundles[0], options


def main(words):
    if "--help" in words or "-h" in words:
        sys.stdout.write(USAGE)
        return 0
    try:
        path, options = read_command(words)
        report = verify(path, options)
    except Usage as fault:
        sys.stderr.write("%s\n\n%s" % (fault, USAGE))
        return 2
    sys.stdout.write(json.dumps(report, indent=2) + "\n" if options["json"] else report_text(report))
    return report["exit_code"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
