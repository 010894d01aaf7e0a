import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A legal matter groups what belongs to one case: members, holds, bundles, exceptions and documents (specification "What the
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

/** What is closed stays as it was: its links are the record of what the case was about. */
export const MATTER_MACHINE = stateMachine<MatterStatus, MatterAction>('legal matter', [
  { from: null, action: 'create', to: 'OPEN', ...write, emits: ['matter.created'] },
  { from: 'OPEN', action: 'update', to: 'OPEN', ...write, emits: ['matter.updated'] },
  { from: 'OPEN', action: 'link', to: 'OPEN', ...write, emits: ['matter.linked'] },
  { from: 'OPEN', action: 'unlink', to: 'OPEN', ...write, emits: ['matter.unlinked'] },
  { from: 'OPEN', action: 'close', to: 'CLOSED', ...write, emits: ['matter.closed'] },
]);

/** Every kind of link: the word in the path, and the member of the record that lists it. */
export const MATTER_LINKS = {
  members: 'member_ids',
  holds: 'hold_ids',
  bundles: 'bundle_ids',
  exceptions: 'exception_ids',
  documents: 'document_ids',
} as const;

export type MatterLinkKind = keyof typeof MATTER_LINKS;
export type MatterLinkMember = (typeof MATTER_LINKS)[MatterLinkKind];

export const MATTER_LINK_KINDS = Object.keys(MATTER_LINKS) as readonly MatterLinkKind[];

export type MatterLinks = { readonly [M in MatterLinkMember]: readonly string[] };

/** Of one kind in one matter; more is a scope of its own, not a list. */
export const MAX_LINKS = 1_000;
/** Steps that a matter's history holds: it is part of the record. */
export const MAX_STEPS = 10_000;

export const NO_LINKS: MatterLinks = {
  member_ids: [],
  hold_ids: [],
  bundle_ids: [],
  exception_ids: [],
  document_ids: [],
};

/** The links with one more, or the very same links where it is there already. */
export function withLink(links: MatterLinks, kind: MatterLinkKind, ref: string): MatterLinks {
  const member = MATTER_LINKS[kind];
  return links[member].includes(ref) ? links : { ...links, [member]: [...links[member], ref] };
}

/** The links with one less, or the very same links where it is not there. */
export function withoutLink(links: MatterLinks, kind: MatterLinkKind, ref: string): MatterLinks {
  const member = MATTER_LINKS[kind];
  return links[member].includes(ref) ? { ...links, [member]: links[member].filter((id) => id !== ref) } : links;
}
