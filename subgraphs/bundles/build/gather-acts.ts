import type { ChainEntry } from '../../../shared/contracts/ledger-records.js';
import { subjectName } from '../../../shared/facts/fact.js';
import type { Build, BuildDeps } from './build-deps.js';
import { disclosedActs, type WithheldRecords } from './domain/manifest-records.js';
import type { GatheredDocuments } from './gather-documents.js';
import { otherEntries } from './spool-chain.js';
import type { SpooledEvents } from './spool-events.js';

/** The acts of a bundle, by tree index. */
export interface GatheredActs {
  readonly acts: ReadonlyMap<number, ChainEntry>;
  /** Documents of which no hash of the original is disclosed: it could be guessed from it without a salt. */
  readonly hiddenDocuments: ReadonlySet<string>;
  readonly holdIds: readonly string[];
}

/** Finds the entries of custody, of `_system` and the latest facts of `_records` for chain.tsv. */
export async function gatherActs(
  deps: BuildDeps,
  build: Build,
  events: SpooledEvents,
  { documents, holds }: GatheredDocuments,
  withheld: WithheldRecords,
): Promise<GatheredActs> {
  const holdIds = [...new Set([...events.holds.keys(), ...holds.map(({ hold_id }) => hold_id)])];
  const { matter_id } = build.bundle.scope;
  const documentIds = documents.map(({ document_id }) => document_id);
  const others = await otherEntries(deps, build, {
    subjects: [
      ...documentIds.map((id) => ({ kind: 'DOCUMENT', id })),
      ...build.frozen.member_ids.map((id) => ({ kind: 'MEMBER', id })),
      ...holdIds.map((id) => ({ kind: 'HOLD', id })),
    ],
    system_ids: documentIds.map((id) => subjectName({ kind: 'document-redaction', id })),
    record_ids: [
      ...documentIds.map((id) => subjectName({ kind: 'document', id })),
      ...holdIds.map((id) => subjectName({ kind: 'hold', id })),
      ...build.frozen.member_tags.map((id) => subjectName({ kind: 'member', id })),
      ...(matter_id === undefined ? [] : [subjectName({ kind: 'matter', id: matter_id })]),
    ],
  });
  const shown = new Set(documentIds);
  const acts = build.bundle.consent
    ? disclosedActs([...events.entries.values()], others, withheld, shown)
    : [...events.entries.values(), ...others];
  const hiddenDocuments = new Set(
    documents.flatMap(({ document_id, state }) => (HIDDEN.has(state) ? document_id : [])),
  );
  return { acts: new Map(acts.map((entry) => [entry.tree_index, entry])), hiddenDocuments, holdIds };
}

const HIDDEN: ReadonlySet<string> = new Set(['REDACTED', 'DISPOSED']);
