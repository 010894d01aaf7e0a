import { PENDING_INDEX } from '../../../shared/outbox/outbox.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import { STATES_INDEX } from '../../../shared/records/check-rows.js';
import { declareCollection } from '../../../shared/records/collections.js';
import { namesIn } from '../../../shared/records/list-query.js';
import { RecordStore, type RecordStoreDeps, type RecordStoreOptions } from '../../../shared/records/record-store.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { RowCheck } from '../../../shared/records/row-check.js';
import type { RowFacts } from '../../../shared/records/row-facts.js';
import { verifiesRows } from '../../../shared/records/verified-rows.js';
import type { MatterStore, StoredMatter } from './ports.js';

export const MATTERS = declareCollection(
  'legal_matters',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, status: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, member_ids: 1, created_at: -1, _id: -1 }],
  STATES_INDEX,
  PENDING_INDEX,
);

interface MatterForm {
  readonly check: RowCheck;
  readonly facts: RowFacts<StoredMatter>;
}

const memberRef = (memberId: string): string => `member/${memberId}`;

/** Legal matters by tenant. */
export function matterStore(deps: RecordStoreDeps, { check, facts }: MatterForm): MatterStore {
  const options: RecordStoreOptions<StoredMatter> = {
    collection: MATTERS,
    id: 'matter_id',
    check,
    facts: { ...facts, refs: ({ member_ids }) => member_ids.map(memberRef) },
  };
  verifiesRows(deps, options);
  return (tenantId) => new MatterRecords(deps, options, tenantId);
}

class MatterRecords extends RecordStore<StoredMatter> {
  override async page(query: ListQuery<StoredMatter>): Promise<Page<StoredMatter>> {
    const members = namesIn(query.where.member_ids);
    return this.pageWhere(query, [], {
      named: members.length === 0 ? null : await this.naming(members.map(memberRef)),
    });
  }
}
