import { stateMachine } from '../../../shared/state-machine/state-machine.js';
import type { RedactedPage } from '../content/domain.js';

// What a redaction hides of an event or a document, and why (api.md section 3 "Redactions"). The original stays.
// Applying makes a rendition, which readers without `documents:unredacted` get from then on.

export const REDACTION_STATUSES = ['DRAFT', 'APPLIED', 'DISCARDED'] as const;
export type RedactionStatus = (typeof REDACTION_STATUSES)[number];

/** `update` is the PATCH, `discard` the DELETE. */
export type RedactionAction = 'draft' | 'update' | 'apply' | 'discard';

export const SUBJECT_KINDS = ['EVENT', 'DOCUMENT'] as const;
export type RedactionSubjectKind = (typeof SUBJECT_KINDS)[number];

const write = { scope: 'redactions:write' } as const;

/** APPLIED is final: hidden parts never reappear. */
export const REDACTION_MACHINE = stateMachine<RedactionStatus, RedactionAction>('redaction', [
  { from: null, action: 'draft', to: 'DRAFT', ...write, emits: ['redaction.drafted'] },
  { from: 'DRAFT', action: 'update', to: 'DRAFT', ...write, emits: ['redaction.updated'] },
  { from: 'DRAFT', action: 'apply', to: 'APPLIED', scope: 'redactions:apply', emits: ['redaction.applied'] },
  { from: 'DRAFT', action: 'discard', to: 'DISCARDED', ...write, emits: ['redaction.discarded'] },
]);

export interface RedactionSubject {
  readonly kind: RedactionSubjectKind;
  readonly id: string;
}

/** The name of a subject in the facts of its redactions. */
export const subjectRef = ({ kind, id }: RedactionSubject): string => `${kind.toLowerCase()}/${id}`;

/** The hidden parts: pointers of an event, or terms and pages of a document. */
export interface RedactionTarget {
  readonly pointers: readonly string[];
  /** Whole words, in any case, taken literally. */
  readonly terms: readonly string[];
  readonly pages: readonly RedactedPage[];
}

/** Merges the targets of several redactions of one subject. */
export const targetsTogether = (targets: readonly RedactionTarget[]): RedactionTarget => ({
  pointers: [...new Set(targets.flatMap(({ pointers }) => pointers))],
  terms: [...new Set(targets.flatMap(({ terms }) => terms))],
  pages: targets.flatMap(({ pages }) => pages),
});
