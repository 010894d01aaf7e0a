import { nextTurn } from '../../../shared/clock/timers.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { entryHash, type Header } from '../../../shared/evidence/chain.js';
import { type Commitments, Committer, SEED_BYTES } from '../../../shared/evidence/commitments.js';
import type { MemberTags } from '../../../shared/evidence/member-tag.js';
import { rebuildRecord } from '../../../shared/evidence/record.js';
import { objectIn } from '../../../shared/json/object-in.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';

/** Where the bytes of a record were found. */
type MaterialSource = 'WORM' | 'LEDGER';

/** A record and a seed that may belong to an entry; nothing about them is proven. */
export interface Material {
  readonly record: Buffer;
  readonly seed: Buffer;
  readonly from: MaterialSource;
}

/** A place of which the entry hash is proven. */
export interface ProvenPlace {
  readonly tenantId: string;
  readonly sourceSystem: string;
  readonly seq: number;
  readonly entryHash: string;
  readonly memberTags: MemberTags;
}

/** Guesses for the members of the header that no record holds. Only the hash decides which of them are right. */
export interface HeaderGuesses {
  readonly prevs: readonly string[];
  /** Times that neighbours or the damaged row name, in ms. */
  readonly timesMs: readonly number[];
  /** recorded_at of the entry before, where it is known; else negative infinity. */
  readonly notBeforeMs: number;
  /** recorded_at of the entry after, or the present. */
  readonly notAfterMs: number;
}

/** The entry that hashes to the proven hash. */
export interface MatchedEntry extends Commitments {
  readonly material: Material;
  readonly members: JsonObject;
  readonly eventId: string;
  readonly prev: string;
  readonly recordedAtMs: number;
}

/** `recorded_at` is tried this long after its earliest possible time. */
const MAX_SEARCH_MS = 3_600_000;
/** Hashes tried for one place. */
const MAX_HASHES = 12_000_000;
const TIMES_A_TURN = 20_000;
/** All materials are tried over the first window before any is tried over the next. */
const WINDOWS_MS = [2_000, 60_000, MAX_SEARCH_MS];

interface Candidate extends Commitments {
  readonly material: Material;
  readonly members: JsonObject;
  readonly eventId: string;
  readonly receivedAtMs: number;
}

/**
 * Finds the material whose header hashes to the proven entry hash of a place, at the times that neighbours name.
 * Everything about the material is untrusted: a forged record matches only with a collision of SHA-256.
 */
export function matchAtTimes(
  place: ProvenPlace,
  materials: readonly Material[],
  guesses: HeaderGuesses,
): MatchedEntry | null {
  for (const candidate of candidatesOf(place, materials, guesses)) {
    for (const time of guesses.timesMs) {
      const found = tried(place, candidate, guesses.prevs, time);
      if (found !== null) return found;
    }
  }
  return null;
}

/**
 * Finds the material like `matchAtTimes`, over all times at which the entry may have been recorded.
 *
 * @returns null if no material matches; EXHAUSTED if the limit of hashes ended the search.
 */
export async function searchEntry(
  place: ProvenPlace,
  materials: readonly Material[],
  guesses: HeaderGuesses,
): Promise<MatchedEntry | 'EXHAUSTED' | null> {
  const candidates = candidatesOf(place, materials, guesses);
  let hashes = 0;
  let from = 0;
  for (const until of WINDOWS_MS) {
    for (const candidate of candidates) {
      const earliest = Math.max(candidate.receivedAtMs, guesses.notBeforeMs);
      const end = Math.min(earliest + until, guesses.notAfterMs + 1);
      for (let time = earliest + from; time < end; time++) {
        const found = tried(place, candidate, guesses.prevs, time);
        if (found !== null) return found;
        hashes += guesses.prevs.length;
        if (hashes > MAX_HASHES) return 'EXHAUSTED';
        if (time % TIMES_A_TURN === 0) await nextTurn();
      }
    }
    from = until;
  }
  return null;
}

const candidatesOf = (place: ProvenPlace, materials: readonly Material[], guesses: HeaderGuesses) =>
  materials.flatMap((material) => candidateOf(place, material) ?? []).filter(fits(guesses));

/** An append records an entry soon after its receipt, and not before the entry before it. */
const fits =
  ({ notBeforeMs, notAfterMs }: HeaderGuesses) =>
  ({ receivedAtMs }: Candidate): boolean =>
    receivedAtMs <= notAfterMs && receivedAtMs >= notBeforeMs - MAX_SEARCH_MS;

const committer = new Committer();
const known = new WeakMap<Material, Candidate>();

function candidateOf(place: ProvenPlace, material: Material): Candidate | null {
  const made = known.get(material) ?? candidateFrom(place, material);
  if (made !== null) known.set(material, made);
  return made;
}

/** @returns null for a material that names another tenant or chain, or is no record of an entry. */
function candidateFrom({ tenantId, sourceSystem }: ProvenPlace, material: Material): Candidate | null {
  const { record, seed } = material;
  const text = record.toString('utf8');
  const members = objectIn(text);
  if (members === undefined || seed.length !== SEED_BYTES) return null;
  const { event_id, tenant_id, source_system, received_at } = members;
  if (typeof event_id !== 'string' || tenant_id !== tenantId || source_system !== sourceSystem) return null;
  const receivedAtMs = Date.parse(String(received_at));
  if (Number.isNaN(receivedAtMs)) return null;
  const leaves = leavesOf(members, text);
  if (leaves === null) return null;
  return { ...committer.commit(seed, record, leaves), material, members, eventId: event_id, receivedAtMs };
}

/** @returns null for a text that is not in canonical form. */
function leavesOf(members: JsonObject, text: string) {
  try {
    const built = rebuildRecord(members);
    return built.text === text ? built.leaves : null;
  } catch (error) {
    // A value without a canonical form.
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}

function tried(place: ProvenPlace, candidate: Candidate, prevs: readonly string[], time: number): MatchedEntry | null {
  const recorded_at = new Date(time);
  if (Number.isNaN(recorded_at.getTime())) return null;
  const { commit, fields, eventId, members } = candidate;
  const member_tag = place.memberTags.ofEntry(members);
  const known = { commit, fields, member_tag, event_id: eventId, seq: place.seq };
  const header = { ...known, recorded_at: recorded_at.toISOString() };
  for (const prev of prevs) {
    if (hashOf(place, { ...header, prev }) === place.entryHash) return { ...candidate, prev, recordedAtMs: time };
  }
  return null;
}

const hashOf = (
  { tenantId: tenant_id, sourceSystem: source_system }: ProvenPlace,
  header: Omit<Header, 'tenant_id' | 'source_system'>,
): string => entryHash({ ...header, tenant_id, source_system });

/** Every combination of these records and seeds, each once. */
export function materialsOf(
  records: readonly { readonly bytes: Buffer; readonly from: MaterialSource }[],
  seeds: readonly Buffer[],
): readonly Material[] {
  const made = new Map<string, Material>();
  for (const { bytes, from } of records) {
    for (const seed of seeds) {
      const key = `${sha256Hex(bytes)} ${seed.toString('hex')}`;
      if (!made.has(key)) made.set(key, { record: bytes, seed, from });
    }
  }
  return [...made.values()];
}
