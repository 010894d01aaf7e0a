import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A legal matter groups the records of one case: members, holds, bundles, exceptions and documents (specification "What the
// service does"; api.md section 4).

export const MATTER_KINDS = [
  'LITIGATION',
  'INVESTIGATION',
  'REGULATORY',
  'AUDIT',
  'APPEAL',
  'SUBPOENA',
  'OTHER',
] as const;
export type MatterKind = (typeof MATTER_KINDS)[number];

export const MATTER_STATUSES = ['OPEN', 'CLOSED'] as const;
export type MatterStatus = (typeof MATTER_STATUSES)[number];

export type MatterAction = 'create' | 'update' | 'link' | 'unlink' | 'close';

const write = { scope: 'matters:write' } as const;

/** A closed matter never changes: its links record the subject of the case. */
export const MATTER_MACHINE = stateMachine<MatterStatus, MatterAction>('legal matter', [
  { from: null, action: 'create', to: 'OPEN', ...write, emits: ['matter.created'] },
  { from: 'OPEN', action: 'update', to: 'OPEN', ...write, emits: ['matter.updated'] },
  { from: 'OPEN', action: 'link', to: 'OPEN', ...write, emits: ['matter.linked'] },
  { from: 'OPEN', action: 'unlink', to: 'OPEN', ...write, emits: ['matter.unlinked'] },
  { from: 'OPEN', action: 'close', to: 'CLOSED', ...write, emits: ['matter.closed'] },
]);

export const MATTER_LINK_KINDS = ['members', 'holds', 'bundles', 'exceptions', 'documents'] as const;
export type MatterLinkKind = (typeof MATTER_LINK_KINDS)[number];

/** The member of the record that lists the links of each kind. */
export const MATTER_LINKS = {
  members: 'member_ids',
  holds: 'hold_ids',
  bundles: 'bundle_ids',
  exceptions: 'exception_ids',
  documents: 'document_ids',
} as const satisfies Record<MatterLinkKind, string>;

export type MatterLinks = { readonly [Name in (typeof MATTER_LINKS)[MatterLinkKind]]: readonly string[] };

/** Links of one kind in one matter. */
export const MAX_LINKS = 1_000;
/**
 * UTF-8 bytes of the members of a matter as JSON. A fact names new members twice, and the write-once store takes records
 * of at most 1 MiB.
 */
export const MAX_MEMBER_BYTES = 262_144;
/** Steps in the history of a matter, which is part of the record. */
export const MAX_STEPS = 10_000;

export const memberBytesFit = (memberIds: readonly string[]): boolean =>
  Buffer.byteLength(JSON.stringify(memberIds)) <= MAX_MEMBER_BYTES;

/** Returns the links with one more, or the same object if it is there already. */
export function withLink<Links extends MatterLinks>(links: Links, kind: MatterLinkKind, ref: string): Links {
  const name = MATTER_LINKS[kind];
  return links[name].includes(ref) ? links : { ...links, [name]: [...links[name], ref] };
}

/** Returns the links without one, or the same object if it is not there. */
export function withoutLink<Links extends MatterLinks>(links: Links, kind: MatterLinkKind, ref: string): Links {
  const name = MATTER_LINKS[kind];
  return links[name].includes(ref) ? { ...links, [name]: links[name].filter((id) => id !== ref) } : links;
}
