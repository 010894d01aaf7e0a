import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import type { FactGuard } from '../../shared/facts/guard.js';
import type { Area } from '../../shared/graph/areas.js';
import type { Outbox } from '../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../shared/outbox/pending-effect.js';
import type { AppointmentStore } from './appointments/index.js';
import type { CareTeamStore } from './care-team/index.js';
import type { ConsentStore } from './consent/index.js';
import type { DataRightEffect, DataRightStore } from './data-rights/index.js';
import type { MemberEffect, MemberIdentities, MemberStore, MergeStore } from './members/index.js';

/** Effects of this subgraph; index.ts performs each kind. */
export type MembersEffect = PendingEffect | MemberEffect | DataRightEffect;

/** Stores that several areas read. */
export interface MembersStores {
  readonly members: MemberStore;
  readonly merges: MergeStore;
  readonly consents: ConsentStore;
  readonly appointments: AppointmentStore;
  readonly careTeam: CareTeamStore;
  readonly dataRights: DataRightStore;
}

/** The parts that areas share; index.ts builds them once. */
export interface MembersParts {
  readonly deps: SubgraphDeps;
  readonly directory: MemberIdentities;
  readonly stores: MembersStores;
  readonly outbox: Outbox<MembersEffect>;
  readonly facts: FactGuard;
}

export type MembersArea = Area<MembersParts>;
