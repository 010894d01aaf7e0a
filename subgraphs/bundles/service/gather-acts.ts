import type { ChainEntry, ChainSubject } from '../../../shared/contracts/ledger-records.js';
import type { WithheldRecords } from '../domain/withheld-records.js';
import type { Build, BuildDeps } from './build-deps.js';
import type { GatheredDocuments } from './gather-documents.js';
import { otherEntries } from './spool-chain.js';
import type { SpooledEvents } from './spool-events.js';

/** Custody and system entries of chain.tsv, by their places in the tree. */
export async function gatherActs(
  deps: BuildDeps,
  build: Build,
  events: SpooledEvents,
  { documents, redactions, holds }: GatheredDocuments,
  withheld: WithheldRecords,
): Promise<ReadonlyMap<number, ChainEntry>> {
  const holdIds = new Set([...events.holds.keys(), ...holds.map(({ hold_id }) => hold_id)]);
  const subjects: ChainSubject[] = [
    ...documents.map(({ document_id }) => ({ kind: 'DOCUMENT', id: document_id })),
    ...build.frozen.member_ids.map((id) => ({ kind: 'MEMBER', id })),
    ...[...holdIds].map((id) => ({ kind: 'HOLD', id })),
  ];
  const redactionIds = redactions.map(({ redaction_id }) => redaction_id);
  const others = await otherEntries(deps, build, subjects, redactionIds);
  const shown = new Set(documents.map(({ document_id }) => document_id));
  const told = build.bundle.consent
    ? actsToTell([...events.entries.values()], others, withheld, shown)
    : [...events.entries.values(), ...others];
  const hidden = new Set(documents.flatMap(({ document_id, state }) => (HIDDEN.has(state) ? document_id : [])));
  return new Map(told.map((entry) => [entry.tree_index, withoutOriginal(entry, hidden)]));
}

const HIDDEN: ReadonlySet<string> = new Set(['REDACTED', 'DISPOSED']);

/** Without a salt, the hash of what is redacted or disposed of would let it be guessed; that of a rendition stays. */
const withoutOriginal = (entry: ChainEntry, hidden: ReadonlySet<string>): ChainEntry =>
  entry.subject_type === 'DOCUMENT' && hidden.has(entry.subject_id ?? '') && entry.action !== 'REDACT'
    ? { ...entry, sha256_before: null, sha256_after: null }
    : entry;

/** What acts are about, where it is a record that consent judges. */
const RECORDS: ReadonlySet<string | null> = new Set(['EVENT', 'DOCUMENT', 'RAW']);

/**
 * Acts of a bundle with a stated purpose. What was found by an event of the bundle stays unless it names a withheld record; what
 * was found by a member or a hold also names records that are not in the bundle, and of those nobody has judged.
 *
 * @param byEvents found by the bundle's events. @param others found by its documents, members and holds
 */
export function actsToTell(
  byEvents: readonly ChainEntry[],
  others: readonly ChainEntry[],
  { events, documents }: WithheldRecords,
  shownDocuments: ReadonlySet<string>,
): readonly ChainEntry[] {
  const namesWithheld = ({ subject_id }: ChainEntry): boolean => events.has(subject_id) || documents.has(subject_id);
  const isOfBundle = ({ kind, subject_type, subject_id }: ChainEntry): boolean =>
    kind === 'SYSTEM' || !RECORDS.has(subject_type) || shownDocuments.has(subject_id);
  return [...byEvents.filter((entry) => !namesWithheld(entry)), ...others.filter(isOfBundle)];
}
