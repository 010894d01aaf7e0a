import { keysOf } from '../json/keys.js';

/**
 * The kinds of a member's timeline with their fields of TimelineMember: the table behind the checks, the graph document
 * of the route and docs/timeline.md. A new kind is one line here and a field in its subgraph.
 */
export const TIMELINE_SOURCES = {
  EVENT: { field: 'timeline_events', at: 'its effective time', shown: 'the event as `GET /v1/events/{id}` shows it' },
  DECISION: { field: 'timeline_decisions', at: 'when it was decided', shown: "the decision's entry in the ledger" },
  DOCUMENT: {
    field: 'timeline_documents',
    at: '`effective_at`, else when it was uploaded',
    shown: 'the document without its bytes and its history',
  },
  HOLD: { field: 'timeline_holds', at: 'when it was placed', shown: 'a legal hold that names the member' },
  BUNDLE: { field: 'timeline_bundles', at: 'when it was asked for', shown: 'a bundle over the member' },
  CONSENT: { field: 'timeline_consents', at: 'when it was given', shown: 'the consent' },
  APPOINTMENT: {
    field: 'timeline_appointments',
    at: 'when it begins, else when it was noted',
    shown: 'the appointment',
  },
  CARE_TEAM: { field: 'timeline_care_team', at: 'when it was noted', shown: 'the entry of the care team' },
} as const satisfies Record<string, { readonly field: string; readonly at: string; readonly shown: string }>;

export type TimelineKind = keyof typeof TIMELINE_SOURCES;
export const TIMELINE_KINDS = keysOf(TIMELINE_SOURCES);

/** Kinds of ledger entries: their content names codes, providers and an outcome. */
export const CONTENT_KINDS: ReadonlySet<TimelineKind> = new Set<TimelineKind>(['EVENT', 'DECISION']);

/** Parses names separated by commas, in any case; all kinds by default. Null if a name is no kind. */
export function kindsAsked(text: string | null | undefined): ReadonlySet<TimelineKind> | null {
  if (text == null) return new Set(TIMELINE_KINDS);
  const names = text.split(',').map((name) => name.trim().toUpperCase());
  const known = names.filter((name): name is TimelineKind => Object.hasOwn(TIMELINE_SOURCES, name));
  return known.length === names.length ? new Set(known) : null;
}
