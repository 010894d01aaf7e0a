import type { LetterAsked } from './appeal-letter.js';

/** What goes with an appeal: records that it cites, and documents that it needs. */
export interface Attachment {
  /** ON_RECORD: there, named by its entry's hash. NEEDED: to be got. */
  readonly status: 'ON_RECORD' | 'NEEDED';
  readonly title: string;
  readonly event_id: string | null;
  /** The entry of the ledger, or the artifact of the rule. */
  readonly sha256: string | null;
}

/** The decision itself first, then records by which criteria and suggestions stand, guidelines, and what is asked for. */
export function attachmentsOf({
  event,
  guidelines,
  findings,
  entryHashes,
}: Pick<LetterAsked, 'event' | 'guidelines' | 'findings' | 'entryHashes'>): readonly Attachment[] {
  const cited = new Set([
    event.event_id,
    ...guidelines.flatMap(({ criteria }) =>
      criteria.flatMap(({ evidence }) => evidence.map(({ event_id }) => event_id)),
    ),
    ...findings.suggestions.flatMap(({ supported_by }) => supported_by.map(({ event_id }) => event_id)),
  ]);
  const records = [...cited].map(
    (event_id): Attachment => ({
      status: 'ON_RECORD',
      title: event_id === event.event_id ? `The decision: record ${event_id}` : `Record ${event_id}`,
      event_id,
      sha256: entryHashes.get(event_id) ?? null,
    }),
  );
  const rules = guidelines.map(
    ({ title, key, revision, artifact_sha256 }): Attachment => ({
      status: 'ON_RECORD',
      title: `${title} (${key}, revision ${revision})`,
      event_id: null,
      sha256: artifact_sha256,
    }),
  );
  return [...records, ...rules, ...neededOf(guidelines, findings)];
}

function neededOf(guidelines: LetterAsked['guidelines'], { needed }: LetterAsked['findings']): Attachment[] {
  const titles = new Set([
    ...guidelines.flatMap(({ criteria }) => criteria.flatMap(({ settled_by }) => settled_by?.text ?? [])),
    ...needed.map(({ code, needs }) => `${needs} (${code})`),
  ]);
  return [...titles].map((title) => ({ status: 'NEEDED', title: `To be got: ${title}`, event_id: null, sha256: null }));
}
