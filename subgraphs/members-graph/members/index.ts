import type { TenantId } from '../../../shared/ids/tenant.js';
import type { MembersArea } from '../parts.js';
import { MEMBER_MACHINE } from './domain/member.js';
import { followLedger } from './follow-ledger.js';
import { changeStore, feedCursors, unknownStore } from './model/logs.js';
import { MEMBER_CHANGES, MEMBER_FEED_CURSORS, MEMBERS, MERGES, UNKNOWN_MEMBERS } from './model/members.js';
import { IdentityResolver, MemberResolver, memberReferences } from './resolver.js';
import { resolveKnown } from './unknown-members.js';

export { type IdentityDeps, linksAround, type MemberIdentities, memberDirectory, shownLinks } from './identity.js';
export { showMerge } from './merge-members.js';
export { changeStore } from './model/logs.js';
export { memberStore } from './model/members.js';
export { mergeStore } from './model/merges.js';
export type {
  MemberEffect,
  MemberSketch,
  MemberStore,
  MergeStore,
  StoredMember,
  TenantMembers,
  TenantMerges,
} from './ports.js';
export { isKnown, type KnownDeps, type LinkedMember } from './read-members.js';
export { givenPerson, shownMember } from './resolver.js';

/** Delay until events show in the directory. */
const FOLLOW_EVERY_MS = 5_000;

/** The directory of members, and the job that updates it from the ledger. */
export const membersArea: MembersArea = {
  resolvers: [MemberResolver, IdentityResolver],
  stateMachines: [MEMBER_MACHINE],
  collections: [MEMBERS, MEMBER_CHANGES, MERGES, MEMBER_FEED_CURSORS, UNKNOWN_MEMBERS],
  references: { Member: ({ stores }) => memberReferences(stores) },
  wire: ({ deps, directory, stores }) => {
    const { db } = deps.database;
    const unknowns = unknownStore(db);
    const services = {
      ...deps,
      ...stores,
      changes: changeStore(db),
      unknowns,
      known: (tenantId: TenantId, memberId: string) => resolveKnown({ ...deps, unknowns }, tenantId, [memberId]),
    };
    deps.jobs.recurring({
      name: 'members.follow',
      description: 'Updates the directory of members from events.',
      everyMs: FOLLOW_EVERY_MS,
      run: (signal) => followLedger({ ...services, cursors: feedCursors(db) }, signal),
    });
    return { resolvers: [new MemberResolver(services), new IdentityResolver(directory)] };
  },
};
