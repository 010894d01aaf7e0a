import { stateMachine } from '../../../../shared/state-machine/state-machine.js';
import type { PersonAddress, PersonIdentifier } from '../matching/person-record.js';

// A member of the directory (api.md section 6 "Members"). `member_id` is the caller's own string.

export const MEMBER_STATUSES = ['ACTIVE', 'INACTIVE', 'MERGED'] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** What a record says of itself; that it is merged is said by its link, so that taking the link away restores it. */
export type OwnStatus = Exclude<MemberStatus, 'MERGED'>;

export type MemberAction =
  | 'create'
  | 'update'
  | 'deactivate'
  | 'activate'
  | 'merge'
  | 'merge-inactive'
  | 'unmerge'
  | 'unmerge-inactive';

const write = { scope: 'members:write' } as const;

/** A merged record stays as it was, and its sources may go on correcting it; a person no longer does. */
export const MEMBER_MACHINE = stateMachine<MemberStatus, MemberAction>('member', [
  { from: null, action: 'create', to: 'ACTIVE', ...write, emits: ['member.created'] },
  { from: 'ACTIVE', action: 'update', to: 'ACTIVE', ...write, emits: ['member.updated'] },
  { from: 'INACTIVE', action: 'update', to: 'INACTIVE', ...write, emits: ['member.updated'] },
  { from: 'ACTIVE', action: 'deactivate', to: 'INACTIVE', ...write, emits: ['member.deactivated'] },
  { from: 'INACTIVE', action: 'activate', to: 'ACTIVE', ...write, emits: ['member.activated'] },
  { from: 'ACTIVE', action: 'merge', to: 'MERGED', ...write, emits: ['member.merged'] },
  { from: 'INACTIVE', action: 'merge-inactive', to: 'MERGED', ...write, emits: ['member.merged'] },
  { from: 'MERGED', action: 'unmerge', to: 'ACTIVE', ...write, emits: ['member.unmerged'] },
  { from: 'MERGED', action: 'unmerge-inactive', to: 'INACTIVE', ...write, emits: ['member.unmerged'] },
]);

export const SEXES = ['FEMALE', 'MALE', 'OTHER', 'UNKNOWN'] as const;
export type Sex = (typeof SEXES)[number];

export interface MemberName {
  readonly family: string | null;
  readonly given: readonly string[];
  readonly suffix: string | null;
}

export interface MemberAddress extends PersonAddress {
  readonly country?: string;
}

/** What is known of a person; '' and null are never stored for a part that is not known, but null for a whole member. */
export interface Demographics {
  readonly identifiers: readonly PersonIdentifier[];
  readonly name: MemberName;
  readonly former_families: readonly string[];
  readonly birth_date: string | null;
  readonly multiple_birth: boolean | null;
  readonly sex: Sex | null;
  readonly addresses: readonly MemberAddress[];
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  readonly program: string | null;
  readonly jurisdiction: string | null;
}

export const NOTHING_KNOWN: Demographics = {
  identifiers: [],
  name: { family: null, given: [], suffix: null },
  former_families: [],
  birth_date: null,
  multiple_birth: null,
  sex: null,
  addresses: [],
  phones: [],
  emails: [],
  program: null,
  jurisdiction: null,
};

export const DEMOGRAPHIC_MEMBERS = Object.keys(NOTHING_KNOWN) as readonly (keyof Demographics)[];
