import { contentDigest } from './bundle-texts.js';
import type { Case } from './cases.js';
import { all, type Change, edit, forged, line, manifest } from './forge.js';
import { actsOf, KEY, sealed, standardFacts } from './good-cases.js';
import { disposalAct, eventIdAt, redactionAct } from './made-acts.js';
import { addMap, type BundleSpec, REDACTION } from './make-bundle.js';
import { type Act, type MadeLedger, makeLedger, tagOf } from './make-ledger.js';
import { foldMap, withMap } from './make-map.js';

// Bundles with the state map: complete ones, and those of insiders who leave something out and rebuild every proof.

const SIZE = 120;
const LOGS = 'proofs/logs.tsv';
const MAP = 'proofs/map.jsonl';
const MEMBERS = ['M-0', 'M-1'];

let made: MadeLedger | undefined;
const base = (): MadeLedger => makeLedger({ seed: 31, entries: SIZE, own: actsOf(SIZE, standardFacts()) });
const ledger = (): MadeLedger => {
  made ??= withMap(base());
  return made;
};

/** Places of the events of the members, in the order of the tree. */
const placesOf = ({ entries }: MadeLedger, members = MEMBERS): number[] => {
  const tags = new Set<string | null>(members.map(tagOf));
  return entries.flatMap(({ header, treeIndex }) => (tags.has(header.member_tag) ? [treeIndex] : []));
};

/** What the facts of the standard ledger hide. */
const HIDDEN = { redacted: new Set([2, 9]), disposed: new Set([8]) };
/** Every event of two members, with the state map. */
export const completeSpec = (): BundleSpec => ({ ...HIDDEN, ledger: ledger(), events: placesOf(ledger()) });
const without = (n: number): BundleSpec => ({
  ...completeSpec(),
  events: placesOf(ledger()).filter((_, i) => i !== n),
});
const place = (n: number): number => placesOf(ledger())[n] ?? 0;

const digested: Change = (draft) => {
  const { scope, events, documents } = draft.manifest;
  draft.manifest = { ...draft.manifest, content_digest: contentDigest(scope, events, documents) };
};

export const mapCases = (): Case[] => [...good(), ...leftOut(), ...otherLogs(), ...otherMaps(), ...falseStates()];

function good(): Case[] {
  const valid = (name: string, spec: BundleSpec): Case => ({
    name: `map: ${name}`,
    bundle: sealed(spec),
    verdict: 'VALID',
    options: KEY,
  });
  const window = { from: '2026-03-02T12:00:00Z', to: '2026-03-03T12:00:00Z' };
  const withheld = [{ reason: '42CFR2', events: 1, documents: 0 }];
  return [
    valid('every event of two members', completeSpec()),
    valid('one member', {
      ...HIDDEN,
      ledger: ledger(),
      events: placesOf(ledger(), ['M-1']),
      scope: { member_ids: ['M-1'] },
    }),
    valid('an unknown member', { ledger: ledger(), events: [], scope: { member_id: 'M-9', member_ids: ['M-9'] } }),
    valid('an event out of the window', {
      ...without(3),
      scope: window,
      leftOut: new Map([[place(3), 'OUT_OF_WINDOW']]),
    }),
    valid('an event withheld', {
      ...without(3),
      consent: { purpose: 'TREATMENT', withheld },
      leftOut: new Map([[place(3), 'WITHHELD']]),
    }),
    ...[1, 2, 3, 5, 8, 40].map((entries) => {
      const own = withMap(makeLedger({ seed: 400 + entries, entries }));
      return valid(`a ledger of ${entries}`, { ledger: own, events: placesOf(own) });
    }),
  ];
}

/** An event left out, with lines, rows, proofs and digests of the rest rebuilt. */
function leftOut(): Case[] {
  /** Logs that state only the shown entries. */
  const shorter: Change = (draft) => {
    const shown = draft.manifest.events.map(({ tree_index }) => tree_index);
    const kept = draft.ledger.entries.filter(({ treeIndex }) => shown.includes(treeIndex));
    const { logs } = foldMap(kept);
    const own = { ...draft.ledger, map: { ...foldMap(draft.ledger.entries.slice(0, -1)), logs } };
    const other = { ...draft, ledger: own as MadeLedger };
    addMap(other, {});
    draft.manifest = { ...other.manifest };
  };
  return [
    forged('an event left out of the bundle and its log', 'MAP_PROOF', all(shorter, digested), without(3)),
    forged('an event left out, and its leaf not', 'LOG_FORM', digested, without(3)),
    forged('an event left out for a window that is none', 'LOG_REASON', digested, {
      ...without(3),
      leftOut: new Map([[place(3), 'OUT_OF_WINDOW']]),
    }),
    forged('an event left out for a consent that is none', 'LOG_REASON', digested, {
      ...without(3),
      leftOut: new Map([[place(3), 'WITHHELD']]),
    }),
    forged('more withheld than the manifest counts', 'LOG_WITHHELD', digested, {
      ...without(3),
      consent: { purpose: 'TREATMENT', withheld: [] },
      leftOut: new Map([[place(3), 'WITHHELD']]),
    }),
    forged(
      'the last leaf of a log missing',
      'LOG_FORM',
      line(LOGS, placesOf(ledger()).length, () => []),
      completeSpec(),
    ),
    forged(
      'a leaf more',
      'LOG_EXTRA',
      edit(LOGS, (text) => text + text.slice(text.slice(0, -1).lastIndexOf('\n') + 1)),
      completeSpec(),
    ),
    forged(
      'a leaf of another cause',
      'LOG_ROOT',
      line(LOGS, 1, (text) => text.replace(/^0\t\d+/, '0\t77')),
      completeSpec(),
    ),
    forged(
      'a leaf of another event',
      'LOG_EVENT',
      line(LOGS, 1, (text) => text.replace(/\t\d+\t-$/, '\t5\t-')),
      completeSpec(),
    ),
    forged(
      'no header row of the logs',
      'LOG_FORM',
      line(LOGS, 0, () => 'log'),
      completeSpec(),
    ),
    forged(
      'an unknown column of the logs',
      'LOG_FORM',
      line(LOGS, 0, (text) => `${text}\tx`),
      completeSpec(),
    ),
    forged(
      'an unknown reason',
      'LOG_FORM',
      line(LOGS, 1, (text) => text.replace(/\t\d+\t-$/, '\t-\tLOST')),
      completeSpec(),
    ),
  ];
}

function otherLogs(): Case[] {
  const scoped = (member_ids: readonly string[]): BundleSpec => ({
    ...HIDDEN,
    ledger: ledger(),
    events: placesOf(ledger(), ['M-1']),
    scope: { member_ids },
  });
  const renamed = (from: string, to: string): Change =>
    all(
      manifest((old) => ({
        scope: { ...old.scope, member_ids: [to] },
        logs: old.logs?.map((log) => (log.member_id === from ? { ...log, member_id: to } : log)) ?? [],
      })),
      digested,
    );
  return [
    forged(
      'a log missing',
      'LOG_MISSING',
      manifest((old) => ({ logs: old.logs?.slice(1) ?? [] })),
      completeSpec(),
    ),
    forged(
      'a log of no member of the scope',
      'LOG_MISSING',
      manifest((old) => ({ scope: { ...old.scope, member_ids: ['M-1'] } })),
      completeSpec(),
    ),
    forged("another member's tag", 'EVENT_UNLOGGED', renamed('M-2', 'M-1'), scoped(['M-2'])),
    forged("another member's events", 'LOG_MEMBER', renamed('M-2', 'M-1'), {
      ...HIDDEN,
      ledger: ledger(),
      events: placesOf(ledger(), ['M-2']),
      scope: { member_ids: ['M-2'] },
    }),
    forged(
      'a log of another root',
      'MAP_PROOF',
      manifest((old) => ({ logs: old.logs?.map((log) => ({ ...log, root: 'ab'.repeat(32) })) ?? [] })),
      completeSpec(),
    ),
  ];
}

function otherMaps(): Case[] {
  const old = foldMap(base().entries.slice(0, 100));
  const places = placesOf(ledger());
  const lines = (change: (tokens: Buffer) => Buffer): Change =>
    line(MAP, 1, (text) => {
      const { tokens } = JSON.parse(text) as { tokens: string };
      return JSON.stringify({ tokens: change(Buffer.from(tokens, 'base64')).toString('base64') });
    });
  return [
    forged('an old map under a new checkpoint', 'MAP_ENTRY', () => undefined, {
      ...HIDDEN,
      ledger: withMap(base(), { map: old, size: 100 }),
      events: places,
    }),
    forged('an old map called new', 'MAP_ENTRY', () => undefined, {
      ...HIDDEN,
      ledger: { ...withMap(base(), { map: old }), map: foldMap(base().entries) },
      events: places,
    }),
    forged(
      'a map of another size',
      'MAP_ENTRY',
      manifest((m) => ({ map: { tree_size: 1, root: m.map?.root ?? '' } })),
      completeSpec(),
    ),
    forged(
      'a map of another root',
      'MAP_ENTRY',
      manifest((m) => ({ map: { tree_size: m.map?.tree_size ?? 0, root: 'ab'.repeat(32) } })),
      completeSpec(),
    ),
    forged(
      'another record of the map',
      'MAP_ENTRY',
      line(MAP, 0, (text) => text.replace('map.committed', 'map.committee')),
      completeSpec(),
    ),
    forged(
      'a proof cut short',
      'MAP_PROOF',
      lines((tokens) => tokens.subarray(0, -1)),
      completeSpec(),
    ),
    forged(
      'tokens more',
      'MAP_PROOF',
      lines((tokens) => Buffer.concat([tokens, Buffer.of(0)])),
      completeSpec(),
    ),
    forged(
      'an unknown token',
      'MAP_PROOF',
      lines((tokens) => Buffer.concat([Buffer.of(9), tokens.subarray(1)])),
      completeSpec(),
    ),
    forged(
      'a line more in the proof',
      'MAP_PROOF',
      edit(MAP, (text) => `${text}{"tokens":"AA=="}\n`),
      completeSpec(),
    ),
    forged(
      'an unknown member of a line of tokens',
      'MAP_PROOF',
      line(MAP, 1, (text) => text.replace(/\}$/, ',"x":1}')),
      completeSpec(),
    ),
    forged(
      'a map that the manifest does not name',
      'FILE_NAME',
      manifest(() => ({ map: undefined as never, logs: undefined as never })),
      completeSpec(),
    ),
    forged('a full bundle without a map', 'MAP_MISSING', withoutMap, without(3)),
    forged(
      'a full bundle without logs',
      'MAP_MISSING',
      manifest(() => ({ logs: undefined as never })),
      completeSpec(),
    ),
  ];
}

/** Files, rows and members of the map are left out, as if there were none. */
const withoutMap: Change = (draft) => {
  draft.files.delete(MAP);
  draft.files.delete(LOGS);
  edit('proofs/ledger.tsv', (text) => text.replace(/[^\n]*\n$/, ''))(draft);
  const { map: _, logs: __, ...rest } = draft.manifest;
  draft.manifest = rest;
};

/** What the map says of an event or a document contradicts the bundle. */
function falseStates(): Case[] {
  const facts = (more: readonly Act[]): BundleSpec => {
    const own = withMap(makeLedger({ seed: 31, entries: SIZE, own: actsOf(SIZE, [...standardFacts(), ...more]) }));
    return { ...HIDDEN, ledger: own, events: placesOf(own) };
  };
  const hidden = (name: string): Change =>
    all(
      // The insider leaves the fact out of the bundle; the map still has its key.
      ({ ledger: own }) => void own,
      edit('chain.tsv', (text) => {
        const [header = '', ...rows] = text.slice(0, -1).split('\n');
        const kept = rows.filter((row) => !row.includes(`\t${name}\t`));
        return `${[header, ...kept.map((row, i) => row.replace(/^\d+/, String(i + 1)))].join('\n')}\n`;
      }),
    );
  const target = placesOf(ledger())[4] ?? 0;
  return [
    forged(
      'a redacted event shown whole',
      'MAP_PROOF',
      hidden(eventIdAt(target)),
      facts([redactionAct(eventIdAt(target), REDACTION)]),
    ),
    forged(
      'a disposed event shown whole',
      'MAP_PROOF',
      hidden(eventIdAt(target)),
      facts([disposalAct(eventIdAt(target))]),
    ),
  ];
}
