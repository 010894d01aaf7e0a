import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import { Outbox } from '../../../shared/outbox/outbox.js';
import { type Performers, performersOver } from '../../../shared/outbox/performers.js';
import { changeStore } from '../model/member-change-model.js';
import { memberStore } from '../model/member-repository.js';
import { mergeStore } from '../model/merge-model.js';
import { doWork } from '../service/data-rights/do-work.js';
import { showMerge } from '../service/members/show-merge.js';
import type { MembersEffect } from '../service/ports/member-effects.js';
import { dataRightDeps } from './data-rights.js';

/** What follows from writes of this subgraph. @param collections whose documents carry pending effects. */
export function membersOutbox(deps: LinkedDeps, collections: readonly string[]): Outbox<MembersEffect> {
  const { db } = deps.database;
  const changes = changeStore(db);
  const nowMs = (): number => deps.clock.nowMs();
  const performers: Performers<MembersEffect> = {
    ...performersOver(deps),
    'keep-member-change': ({ tenant_id, id, change }) => changes(tenant_id).keep(id, change),
    'show-merge': ({ tenant_id, member_id }) =>
      showMerge({ members: memberStore(db, outbox), merges: mergeStore(db, outbox), nowMs }, tenant_id, member_id),
    'data-right': (effect) => doWork(dataRightDeps(deps, outbox), effect),
  };
  const outbox = new Outbox<MembersEffect>({ ...deps, performers }, collections);
  return outbox;
}
