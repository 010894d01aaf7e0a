import { CHECKPOINT } from '../archive/entry-names.js';
import { sameBytes, type Tree, TreeHasher } from '../hashing/tree.js';
import { fromBase64, fromHex, fromUtf8, toHex } from '../text/bytes.js';
import { type KnownKey, UsageFault } from '../trust/key-set.js';
import {
  type Checkpoint,
  NoteFault,
  type NoteKey,
  noteKey,
  readCheckpoint,
  readVerifier,
  standingOf,
} from '../trust/notes.js';
import type { BundleContext } from './context.js';

const MAX_NOTE_BYTES = 65_536;

/** Returns the tree for the inclusion proofs: the checkpoint's tree, or the manifest's if there is no checkpoint. */
export async function checkCheckpoint(context: BundleContext, known: readonly KnownKey[] | undefined): Promise<Tree> {
  const { findings, manifest, profile } = context;
  const { ledger, worm_head_hash } = manifest.head;
  const stated = { size: ledger.tree_size, root: fromHex(ledger.root_hash) };
  if (worm_head_hash !== ledger.root_hash) {
    findings.broken(
      'checkpoint',
      'HEAD_HASH_MISMATCH',
      'manifest.json',
      'worm_head_hash is not the root of the checkpoint',
    );
  }
  const origin = `${ledger.origin}/inc-${ledger.incarnation}`;
  const keys = logKeys(context, known);
  if (profile === 'minimal') {
    await compareKept(context, keys, origin, stated);
    return stated;
  }
  const note = await ownNote(context);
  if (note === undefined) return stated;
  const broken = (code: string, detail: string): void => findings.broken('checkpoint', code, CHECKPOINT, detail);
  if (note.origin !== origin) broken('CHECKPOINT_ORIGIN', 'a checkpoint of another log, or another incarnation of it');
  if (note.size !== stated.size || !sameBytes(note.root, stated.root)) {
    broken('CHECKPOINT_MISMATCH', 'size or root are not those of the manifest');
  }
  if (!note.signatures.some(({ name }) => name === note.origin))
    broken('CHECKPOINT_SIGNATURE', 'not signed by its log');
  const standing = await standingOf(context.platform, note, keys);
  if (standing === 'forged') broken('CHECKPOINT_SIGNATURE', "the signature is not of the log's key");
  if (standing === 'unknown-key') {
    if (keys.length > 0) broken('CHECKPOINT_SIGNATURE', 'signed by none of the keys that were given');
    else
      findings.skipped(
        "The log's own signature on the checkpoint: give its key (--checkpoint-key) or the published keys (--keys FILE). The bundle's signature covers the note.",
      );
  }
  findings.done(
    'checkpoint',
    `${note.origin}, ${note.size} entries, root ${toHex(note.root)}${standing === 'signed' ? ', signed' : ''}`,
  );
  await compareKept(context, keys, origin, note);
  return note;
}

/** The keys of the log's checkpoints that the caller trusts. */
export function logKeys(
  { platform, options, manifest }: BundleContext,
  known: readonly KnownKey[] | undefined,
): NoteKey[] {
  const { ledger } = manifest.head;
  const origin = `${ledger.origin}/inc-${ledger.incarnation}`;
  const published = (known ?? []).filter(({ purpose }) => purpose === 'CHECKPOINT');
  const given = (options.checkpointKeys ?? []).map((text) => {
    const key = readVerifier(platform, text.trim());
    if (key === undefined) throw new UsageFault('--checkpoint-key takes name+id+key');
    return key;
  });
  return [...given, ...published.map(({ publicKey }) => noteKey(platform, origin, publicKey))];
}

async function ownNote({ findings, entries, open }: BundleContext): Promise<Checkpoint | undefined> {
  const entry = entries.get(CHECKPOINT);
  if (entry === undefined) return undefined;
  const bytes = entry.size > MAX_NOTE_BYTES ? undefined : await open(CHECKPOINT)?.next();
  try {
    return readCheckpoint(fromUtf8(bytes ?? new Uint8Array(0)) ?? '');
  } catch (fault) {
    if (!(fault instanceof NoteFault)) throw fault;
    findings.broken('checkpoint', 'CHECKPOINT_FORM', CHECKPOINT, fault.message);
    return undefined;
  }
}

/** Compares the bundle's checkpoint with one that the caller kept: a rewrite of the entries it covers becomes visible. */
async function compareKept(context: BundleContext, keys: readonly NoteKey[], origin: string, own: Tree): Promise<void> {
  const { findings, options, platform } = context;
  if (options.checkpoint === undefined) {
    findings.skipped(
      'That the log was not rewritten before this checkpoint: compare with one that you kept (--checkpoint FILE).',
    );
    return;
  }
  const kept = readKept(options.checkpoint);
  const broken = (code: string, detail: string): void => findings.broken('checkpoint', code, 'kept checkpoint', detail);
  if (kept.origin !== origin) {
    if (withoutIncarnation(kept.origin) !== withoutIncarnation(origin))
      broken('KEPT_OTHER_LOG', 'the checkpoint that you kept is of another log');
    else
      findings.note(
        'The checkpoint that you kept is of another incarnation of the log: its history was given up, and cannot be compared.',
      );
    return;
  }
  const standing = await standingOf(platform, kept, keys);
  if (standing === 'forged') broken('KEPT_SIGNATURE', "the checkpoint that you kept does not bear the log's signature");
  const [first, second] = kept.size <= own.size ? [kept, own] : [own, kept];
  const proof = readProof(options.consistency);
  if (first.size !== second.size && proof === undefined) {
    findings.note(
      `The checkpoint that you kept has ${kept.size} entries, the bundle's ${own.size}: that one extends the other takes a proof ` +
        `(GET /v1/ledger/consistency?first=${first.size}&second=${second.size}, --consistency FILE).`,
    );
    return;
  }
  if (!new TreeHasher(platform).isConsistent(first, second, first.size === second.size ? [] : (proof ?? []))) {
    broken('KEPT_INCONSISTENT', 'the checkpoint that you kept and that of the bundle are not of one history');
  }
}

const withoutIncarnation = (origin: string): string => origin.replace(/\/inc-\d+$/, '');

function readKept(text: string): Checkpoint {
  try {
    return readCheckpoint(text);
  } catch (fault) {
    if (fault instanceof NoteFault) throw new UsageFault('--checkpoint takes a signed checkpoint');
    throw fault;
  }
}

function readProof(text: string | undefined): Uint8Array[] | undefined {
  if (text === undefined) return undefined;
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const hash = fromBase64(line);
    if (hash?.length !== 32) throw new UsageFault('--consistency takes hashes in base64, one a line');
    return hash;
  });
}
