import type { PublicSigningKey } from '../../../shared/contracts/signing-keys.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { stopIfLeft } from '../../../shared/errors/caller-left.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import { Committer } from '../../../shared/evidence/commitments.js';
import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import { NOTE_SIGNATURE, noteKey } from '../../../shared/notes/note-keys.js';
import { openCheckpoint, type TrustedCheckpoint } from '../../../shared/notes/open-checkpoint.js';
import { NoteFault } from '../../../shared/notes/signed-note.js';
import { sound } from '../../../shared/records/sound-rows.js';
import { type CheckpointRow, incarnationOf, type TreeRow } from '../transparency/index.js';
import type { Break } from './domain/verify-chain.js';
import { COPY_FAULTS, copyFault } from './domain/write-once-copy.js';
import { RevokedSignatures } from './revoked-signatures.js';
import {
  malformedRow,
  numberOf,
  type PartFindings,
  type TreePlace,
  type VerifiedTenant,
  type VerifyDeps,
  type VerifyInput,
  type VerifyState,
  wholeBreak,
} from './verify-state.js';

const BATCH_LEAVES = 5_000;
const BATCH_CHECKPOINTS = 200;
/** The write-once copy of a note may still be in progress. */
const COPY_SETTLING_MS = 10 * 60_000;

/**
 * Continues along the tree: recomputes it from its leaves, compares the root at each checkpoint's size, verifies the
 * checkpoints' signatures, and finds leaves without an entry.
 *
 * @returns null at the end.
 */
export async function verifyTreePart(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  { input }: Pick<VerifyState, 'input'>,
  place: TreePlace,
  findings: PartFindings,
): Promise<TreePlace | null> {
  const revoked = await RevokedSignatures.of(tenant, findings);
  const next = await walkTree(deps, tenant, input, place, findings, revoked);
  revoked.finish();
  return next;
}

async function walkTree(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  input: VerifyInput,
  place: TreePlace,
  findings: PartFindings,
  revoked: RevokedSignatures,
): Promise<TreePlace | null> {
  const walk = new TreeWalk(tenant, place, findings, input);
  const incarnation = await currentIncarnation(tenant, place, findings);
  let { checkpoint, earlier } = place;
  for (;;) {
    stopIfLeft(deps.signal);
    const rows = await tenant.tree.examined(checkpoint, BATCH_CHECKPOINTS);
    if (rows.length === 0) break;
    const before = checkpoint;
    for (const examined of rows) {
      if (walk.seen >= deps.partRows) return { ...walk.place(), checkpoint, earlier };
      const { number, row } = examined;
      const expected = (checkpoint ?? 0) + 1;
      if (number !== null && number !== expected) {
        findings.report([wholeBreak('CHECKPOINT_GAP', `Checkpoint ${expected} is missing before ${number}.`)]);
      }
      if (number !== null) checkpoint = number;
      if (row === null) {
        const { key, field } = examined;
        findings.report([malformedRow({ collection: 'ledger_checkpoints', key, field })]);
        continue;
      }
      // The tree of an earlier incarnation was abandoned and is not the current one.
      const computable = row.incarnation === incarnation && row.tree_size >= walk.size;
      if (!computable) earlier++;
      const root = computable ? await walk.rootAt(row.tree_size) : undefined;
      findings.report(await checkpointBreaks(deps, tenant, row, root, revoked));
    }
    // Rows of wrong types alone do not lead on.
    if (checkpoint === before) break;
  }
  while (await walk.more(BATCH_LEAVES)) {
    stopIfLeft(deps.signal);
    if (walk.seen >= deps.partRows) return { ...walk.place(), checkpoint, earlier };
  }
  walk.finish();
  if (earlier > 0) {
    const what = `the roots of ${earlier} checkpoints`;
    findings.notChecked.push({
      what,
      why: 'They belong to a tree before the current incarnation, or are out of order.',
    });
  }
  return null;
}

/**
 * The incarnation of the current tree. The newest checkpoint names it too, in the origin that its note signs, so that a
 * removed declaration is noticed.
 */
async function currentIncarnation(
  { tree }: VerifiedTenant,
  { checkpoint, size }: TreePlace,
  findings: PartFindings,
): Promise<number> {
  const isFirstPart = checkpoint === null && size === 0;
  const say = (found: Break): void => {
    if (isFirstPart) findings.report([found]);
  };
  const collection = 'ledger_incarnations';
  const declared = await sound(async () => (await tree.latestIncarnation())?.incarnation ?? 1);
  if (declared === undefined) say(malformedRow({ collection, key: 'latest', field: 'incarnation' }));
  const signed = (await sound(async () => (await tree.latestCheckpoint())?.incarnation ?? 1)) ?? 1;
  if (declared !== undefined && declared < signed) {
    const detail = `A checkpoint belongs to incarnation ${signed}, and no row declares it.`;
    say({ ...wholeBreak('ROW_MISSING', detail), collection, key: String(signed) });
  }
  // Of a declaration that the signer has not signed, nothing is known but a row: the published trees still count.
  return signed;
}

class TreeWalk {
  readonly #tenant: VerifiedTenant;
  readonly #findings: PartFindings;
  readonly #range: CompactRange;
  readonly #known: Pick<VerifyInput, 'known_size' | 'known_root'>;
  /** Last sequence of each chain, filled as leaves need it. */
  readonly #heads = new Map<string, number>();
  #rows: readonly TreeRow[] = [];
  #at = 0;
  #ahead: Promise<readonly TreeRow[]> | null = null;
  seen = 0;

  constructor(
    tenant: VerifiedTenant,
    { size, hashes }: TreePlace,
    findings: PartFindings,
    known: Pick<VerifyInput, 'known_size' | 'known_root'>,
  ) {
    this.#tenant = tenant;
    this.#known = known;
    this.#findings = findings;
    this.#range = new CompactRange(
      size,
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    );
  }

  get size(): number {
    return this.#range.size;
  }

  place(): Pick<TreePlace, 'phase' | 'size' | 'hashes'> {
    const hashes = this.#range.hashes.map((hash) => hash.toString('hex'));
    return { phase: 'TREE', size: this.size, hashes };
  }

  /** Null if the tree has fewer leaves. */
  async rootAt(size: number): Promise<Buffer | null> {
    while (this.size < size) if (!(await this.more(Math.min(BATCH_LEAVES, size - this.size)))) return null;
    return this.#range.root();
  }

  async more(limit: number): Promise<boolean> {
    if (this.#at === this.#rows.length) await this.#read();
    const end = Math.min(this.#rows.length, this.#at + limit);
    const isMore = end > this.#at;
    while (this.#at < end) {
      const row = this.#rows[this.#at++];
      if (row === undefined) break;
      if (row.tree_index !== this.size) {
        const detail = `Leaf ${this.size} is missing; the next one found is ${row.tree_index}.`;
        this.#findings.report([wholeBreak('TREE_MISSING', detail)]);
        this.#forget();
        return false;
      }
      if (row.malformed !== undefined) {
        this.#findings.report([
          malformedRow({ collection: 'ledger_tree', key: String(this.size), field: row.malformed }),
        ]);
      }
      this.#range.append(leafHash(Buffer.from(row.entry_hash, 'hex')));
      const last = this.#heads.get(row.source_system);
      if (last === undefined || row.seq === last + 1) await this.#compareHead(row);
      if (this.size === this.#known.known_size) this.#compareKnown();
      this.seen++;
    }
    return isMore;
  }

  /** Reads the leaves from here on, and the next page while these are hashed. */
  async #read(): Promise<void> {
    const { tree } = this.#tenant;
    const ahead = await this.#ahead;
    // Read ahead of a checkpoint that was published since, the page may be too short.
    this.#rows = ahead && ahead.length > 0 ? ahead : await tree.rows(this.size, BATCH_LEAVES);
    this.#at = 0;
    this.#ahead = this.#rows.length > 0 ? tree.rows(this.size + this.#rows.length, BATCH_LEAVES) : null;
    this.#ahead?.catch(() => {});
  }

  /** The read leaves do not follow: the next read starts where the tree stopped. */
  #forget(): void {
    this.#rows = [];
    this.#at = 0;
    this.#ahead = null;
  }

  /** The whole tree is read: a checkpoint that names more leaves does not belong to it. */
  finish(): void {
    const { known_size: size = 0 } = this.#known;
    if (size <= this.size) return;
    const detail = `The given checkpoint names ${size} leaves, and the tree has ${this.size}.`;
    this.#findings.report([wholeBreak('CHECKPOINT_MISMATCH', detail)]);
  }

  #compareKnown(): void {
    if (this.#range.root().toString('hex') === this.#known.known_root) return;
    const detail = `The tree of ${this.size} leaves has another root than the given checkpoint.`;
    this.#findings.report([wholeBreak('CHECKPOINT_MISMATCH', detail)]);
  }

  async #headOf(sourceSystem: string): Promise<number> {
    return numberOf((await this.#tenant.context.ledger.head(sourceSystem))?._id.seq);
  }

  /** Reported once per chain: leaves ascend along it, so the first one beyond its end comes first. */
  async #compareHead({ source_system, seq }: TreeRow): Promise<void> {
    let last = this.#heads.get(source_system);
    if (last === undefined) {
      last = await this.#headOf(source_system);
      this.#heads.set(source_system, last);
    }
    if (seq !== last + 1) return;
    // Appended and assigned since the head was read.
    const now = await this.#headOf(source_system);
    this.#heads.set(source_system, now);
    if (seq <= now) return;
    const detail = `The tree has a leaf for entry ${seq}, and the chain ends at ${now}: its end is cut off.`;
    this.#findings.report([{ kind: 'SEQUENCE_GAP', source_system, sequence: seq, event_id: null, detail }]);
  }
}

/**
 * Returns the faults of a checkpoint: signature, members, write-once copy and root.
 *
 * @param root root of the current tree at that size; null if the tree is smaller, undefined if the root is unknown.
 */
async function checkpointBreaks(
  deps: VerifyDeps,
  tenant: VerifiedTenant,
  row: CheckpointRow,
  root: Buffer | null | undefined,
  revoked: RevokedSignatures,
): Promise<readonly Break[]> {
  const breaks: Break[] = [];
  const say = (kind: Break['kind'], detail: string): void => {
    breaks.push(wholeBreak(kind, `Checkpoint ${row.number} (${row.checkpoint_id}): ${detail}`));
  };
  const key = await publicKeyOf(deps, row.key_id);
  const unfit = keyFault(key, tenant.context.tenantId, row, revoked);
  if (unfit !== null) say('CHECKPOINT_SIGNATURE', unfit);
  const opened = key && openedBy(key, row);
  if (key && !opened) say('CHECKPOINT_SIGNATURE', 'its note is not signed by the key that it names.');
  if (opened && (opened.size !== row.tree_size || opened.root.toString('hex') !== row.root_hash)) {
    say('CHECKPOINT_MISMATCH', 'size or root differ between the note and its row.');
  }
  // The signed note begins with the origin. A row of another incarnation would not be compared with the tree.
  if (incarnationOf(row.origin) !== row.incarnation) {
    say('CHECKPOINT_MISMATCH', 'its incarnation differs from that of its origin.');
  }
  if (root === null) say('CHECKPOINT_MISMATCH', `it names ${row.tree_size} leaves, and the tree has fewer.`);
  else if (root !== undefined && opened && !root.equals(opened.root)) {
    say('CHECKPOINT_MISMATCH', `the tree of ${row.tree_size} leaves has another root.`);
  }
  if (sha256Hex(row.note) !== row.worm_sha256) say('CHECKPOINT_MISMATCH', 'the note does not match its hash.');
  const copy = await noteFault(deps, tenant, row);
  if (copy !== null) say(...copy);
  return breaks;
}

/** Null for a key that the registry does not know. */
export async function publicKeyOf(deps: VerifyDeps, keyId: string): Promise<PublicSigningKey | null> {
  try {
    return await deps.signingKeys.publicKey(keyId);
  } catch (error) {
    if (asProblem(error).code !== 'NOT_FOUND') throw error;
    return null;
  }
}

function keyFault(
  key: PublicSigningKey | null,
  tenantId: string,
  { published_at, origin }: CheckpointRow,
  revoked: RevokedSignatures,
): string | null {
  if (!key) return 'the key that it names is unknown.';
  if (key.purpose !== 'CHECKPOINT' || key.tenant_id !== tenantId) return 'its key is for another purpose or tenant.';
  // The signed note begins with the origin, so that an edited row cannot move it to another incarnation.
  return revoked.isBroken(key, { at: published_at, incarnation: incarnationOf(origin) })
    ? 'its key was revoked when it was published.'
    : null;
}

function openedBy({ public_key }: PublicSigningKey, { note, origin }: CheckpointRow): TrustedCheckpoint | undefined {
  try {
    const key = noteKey(origin, NOTE_SIGNATURE, Buffer.from(public_key.x, 'base64url'));
    return openCheckpoint(note, { logKeys: [key], origin });
  } catch (error) {
    if (error instanceof NoteFault) return undefined;
    throw error;
  }
}

async function noteFault(
  deps: VerifyDeps,
  { context }: VerifiedTenant,
  { published_at, worm_sha256 }: CheckpointRow,
): Promise<readonly [Break['kind'], string] | null> {
  const copy = (await context.worm.readRecords([worm_sha256])).get(worm_sha256);
  if (copy !== undefined) {
    const fault = copyFault(copy, { worm_sha256, commit: null }, new Committer());
    return fault === null ? null : ['WORM_MISMATCH', `the write-once copy does not match: ${COPY_FAULTS[fault]}.`];
  }
  if (published_at.getTime() > deps.clock.nowMs() - COPY_SETTLING_MS) return null;
  return ['WORM_MISSING', 'the write-once store has no copy of the note.'];
}
