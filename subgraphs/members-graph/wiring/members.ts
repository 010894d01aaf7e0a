import type { TenantId } from '../../../shared/ids/tenant.js';
import { changeStore } from '../model/member-change-model.js';
import { feedCursors, unknownStore } from '../model/member-feed-model.js';
import { memberStore } from '../model/member-repository.js';
import { mergeStore } from '../model/merge-model.js';
import { IdentityResolver } from '../resolvers/identity-resolver.js';
import { MemberResolver } from '../resolvers/member-resolver.js';
import { followLedger } from '../service/members/follow-ledger.js';
import { tellKnown } from '../service/members/unknown-members.js';
import type { WireArea } from './parts.js';

/** What events tell stands in the directory this long after they came. */
const FOLLOW_INTERVAL_MS = 5_000;

/** The directory: who the members are, by hand and by what the ledger tells. */
export const wireMembers: WireArea = ({ deps, directory, outbox }) => {
  const { db } = deps.database;
  const unknowns = unknownStore(db);
  const services = {
    ...deps,
    members: memberStore(db, outbox),
    merges: mergeStore(db, outbox),
    changes: changeStore(db),
    unknowns,
    known: (tenantId: TenantId, memberId: string) => tellKnown({ ...deps, unknowns }, tenantId, [memberId]),
  };
  deps.jobs.recurring({
    name: 'members.follow',
    description: 'Takes what events tell of members into the directory.',
    everyMs: FOLLOW_INTERVAL_MS,
    run: (signal) => followLedger({ ...services, cursors: feedCursors(db) }, signal),
  });
  return {
    resolvers: [
      [MemberResolver, new MemberResolver(services)],
      [IdentityResolver, new IdentityResolver(directory)],
    ],
  };
};
