import { sha256Hex } from '../../shared/crypto/hash.js';
import type { ManifestEvent, UnsignedManifest } from '../../shared/evidence/bundle/manifest.js';
import { contentDigest } from './bundle-texts.js';
import type { Case } from './cases.js';
import { KEY, standardSpec } from './good-cases.js';
import { type BundleSpec, type Draft, draftOf, listFiles, signedEntries } from './make-bundle.js';
import { writeZip } from './zip-writer.js';

// False bundles that the right key sealed and signed: the holder of that key cannot forge the log.

export type Change = (draft: Draft) => void;

export function forged(
  name: string,
  code: string,
  change: Change,
  spec: BundleSpec = standardSpec(),
  seed?: Buffer,
): Case {
  const draft = draftOf(spec);
  change(draft);
  if (draft.manifest.files.length === 0) listFiles(draft);
  return {
    name: `forged: ${name}`,
    bundle: writeZip(signedEntries(draft, seed)),
    verdict: 'INVALID',
    code,
    options: KEY,
  };
}

export const edit =
  (path: string, change: (text: string) => string): Change =>
  ({ files }) => {
    const before = files.get(path)?.toString('utf8') ?? '';
    const after = change(before);
    if (after === before) throw new Error(`nothing was changed in ${path}`);
    files.set(path, Buffer.from(after));
  };

export const line = (path: string, n: number, change: (line: string) => string | string[]): Change =>
  edit(path, (text) => {
    const lines = text.slice(0, -1).split('\n');
    lines.splice(n, 1, ...[change(lines[n] ?? '')].flat());
    return `${lines.join('\n')}\n`;
  });

export const cell = (path: string, row: number, column: number, value: string): Change =>
  line(path, row, (text) =>
    text
      .split('\t')
      .map((old, i) => (i === column ? value : old))
      .join('\t'),
  );

export const manifest =
  (change: (old: UnsignedManifest) => Partial<UnsignedManifest>): Change =>
  (draft) => {
    draft.manifest = { ...draft.manifest, ...change(draft.manifest) };
  };

export const event = (n: number, change: Partial<ManifestEvent>): Change =>
  manifest((old) => ({ events: old.events.map((one, i) => (i === n ? { ...one, ...change } : one)) }));

/** Recomputes every hash over the events, as a forger would. */
export const rehash: Change = (draft) => {
  const lines = draft.files.get('events.jsonl')?.toString('utf8').slice(0, -1).split('\n') ?? [];
  const events = draft.manifest.events.map((one, i) => ({ ...one, sha256: sha256Hex(lines[i] ?? '') }));
  const { scope, documents } = draft.manifest;
  draft.manifest = { ...draft.manifest, events, content_digest: contentDigest(scope, events, documents) };
};

export const all =
  (...changes: readonly Change[]): Change =>
  (draft) => {
    for (const change of changes) change(draft);
  };
export const swap = (path: string, a: number, b: number): Change =>
  edit(path, (text) => {
    const lines = text.slice(0, -1).split('\n');
    [lines[a], lines[b]] = [lines[b] ?? '', lines[a] ?? ''];
    return `${lines.join('\n')}\n`;
  });
