import type { BundleOrders } from '../../../../shared/contracts/bundle-orders.js';
import type { Custody } from '../../../../shared/contracts/custody.js';
import type { CustodyReads } from '../../../../shared/contracts/custody-reads.js';
import type { Erasures } from '../../../../shared/contracts/erasures.js';
import type { ExceptionDesk } from '../../../../shared/contracts/exceptions.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import { type DataRight, machineOf } from '../../domain/data-rights/data-right.js';
import type { KnownDeps } from '../members/is-known.js';
import type { DataRightStore } from '../ports/data-right-store.js';
import type { RecordKind, StepDeps } from '../records/take-step.js';

export interface DataRightDeps extends StepDeps, KnownDeps {
  readonly dataRights: DataRightStore;
  readonly directory: MemberDirectory;
  readonly bundleOrders: BundleOrders;
  readonly erasures: Erasures;
  readonly custodyReads: CustodyReads;
  readonly custody: Custody;
  readonly exceptions: Pick<ExceptionDesk, 'open' | 'resolve'>;
}

export const kindOf = (right: DataRight): RecordKind => ({
  machine: machineOf(right),
  idKind: 'dataRight',
  idName: 'data_right_id',
  family: 'data-right',
});
