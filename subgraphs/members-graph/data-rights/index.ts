import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import type { MembersArea, MembersStores } from '../parts.js';
import { checkDueDataRights } from './do-work.js';
import { DATA_RIGHT_MACHINE } from './domain.js';
import { DATA_RIGHTS_COLLECTION, dueDataRights } from './model.js';
import { DataRightResolver } from './resolver.js';
import type { DataRightDeps } from './steps.js';

export { doWork } from './do-work.js';
export { dataRightStore } from './model.js';
export type { DataRightEffect, DataRightStore } from './ports.js';

/** Deadlines are days; the short interval lets a process that was down check soon after its start. */
const CHECK_EVERY_MS = 15 * 60_000;

interface Parts {
  readonly deps: LinkedDeps;
  readonly directory: MemberDirectory;
  readonly stores: MembersStores;
}

export const dataRightDeps = ({ deps, directory, stores }: Parts): DataRightDeps => ({ ...deps, ...stores, directory });

/** Requests of members about their data. */
export const dataRightsArea: MembersArea = {
  resolvers: [DataRightResolver],
  stateMachines: [DATA_RIGHT_MACHINE],
  collections: [DATA_RIGHTS_COLLECTION],
  wire: (parts) => {
    const { deps } = parts;
    const services = dataRightDeps(parts);
    const due = dueDataRights(deps.database.db);
    deps.jobs.recurring({
      name: 'data-rights.clock',
      description: "Notes requests about members' data that missed their deadline, and continues erasures.",
      everyMs: CHECK_EVERY_MS,
      run: (signal) => checkDueDataRights({ ...services, due, logger: deps.logger }, signal),
    });
    return { resolvers: [new DataRightResolver(services)] };
  },
};
