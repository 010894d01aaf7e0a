import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// What is hidden of an event or a document, and why (api.md section 3 "Redactions"). The original stays; applying makes a
// rendition, which readers without `documents:unredacted` get from then on.

export const REDACTION_STATUSES = ['DRAFT', 'APPLIED', 'DISCARDED'] as const;
export type RedactionStatus = (typeof REDACTION_STATUSES)[number];

/** `update` is the PATCH, `discard` the DELETE. */
export type RedactionAction = 'draft' | 'update' | 'apply' | 'discard';

export const SUBJECT_KINDS = ['EVENT', 'DOCUMENT'] as const;
export type RedactionSubjectKind = (typeof SUBJECT_KINDS)[number];

const write = { scope: 'redactions:write' } as const;

/** APPLIED is final: what readers were told is hidden does not come back. */
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

/** A rectangle of a page, in points (1/72 inch) from the upper left corner of the page as it is shown. */
export interface PageRegion {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What is hidden of one page: all of it where no regions are named. */
export interface RedactedPage {
  /** From 1. */
  readonly page: number;
  readonly regions?: readonly PageRegion[];
}

/** What a redaction hides; an event's is told by pointers, a document's by terms and pages. */
export interface RedactionTarget {
  readonly pointers: readonly string[];
  /** Whole words, in any case, taken literally. */
  readonly terms: readonly string[];
  readonly pages: readonly RedactedPage[];
}

/** Several redactions of one subject add up. */
export const targetsTogether = (targets: readonly RedactionTarget[]): RedactionTarget => ({
  pointers: [...new Set(targets.flatMap(({ pointers }) => pointers))],
  terms: [...new Set(targets.flatMap(({ terms }) => terms))],
  pages: targets.flatMap(({ pages }) => pages),
});

/** Kinds of documents whose words can be taken out of the bytes. */
export const REDACTABLE_MEDIA_TYPES = ['text/plain', 'application/pdf'] as const;
export type RedactableMediaType = (typeof REDACTABLE_MEDIA_TYPES)[number];

/** @param mediaType with or without parameters. */
export function redactableType(mediaType: string): RedactableMediaType | undefined {
  const [essence = ''] = mediaType.toLowerCase().split(';');
  return REDACTABLE_MEDIA_TYPES.find((type) => type === essence.trim());
}
