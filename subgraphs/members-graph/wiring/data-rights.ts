import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import { appointmentStore } from '../model/appointment-model.js';
import { careTeamStore } from '../model/care-team-model.js';
import { consentStore } from '../model/consent-repository.js';
import { dataRightStore, dueDataRights } from '../model/data-right-model.js';
import { memberStore } from '../model/member-repository.js';
import { mergeStore } from '../model/merge-model.js';
import { DataRightResolver } from '../resolvers/data-right-resolver.js';
import { DataRightStepsResolver } from '../resolvers/data-right-steps-resolver.js';
import type { DataRightDeps } from '../service/data-rights/data-right-deps.js';
import { dataRightsClock } from '../service/data-rights/data-rights-clock.js';
import { memberDirectory } from '../service/members/identity.js';
import type { WireArea } from './parts.js';

/** Requests are due by the day; looked at more often, so that a process that slept through its hour looks when it wakes. */
const CLOCK_EVERY_MS = 15 * 60_000;

/** What requests about members' data stand on, in answers to requests and in what follows from them. */
export function dataRightDeps(deps: LinkedDeps, outbox: EffectRelay): DataRightDeps {
  const { db } = deps.database;
  return {
    ...deps,
    directory: memberDirectory({ members: memberStore(db, outbox), merges: mergeStore(db, outbox) }),
    dataRights: dataRightStore(db, outbox),
    consents: consentStore(db, outbox),
    appointments: appointmentStore(db, outbox),
    careTeam: careTeamStore(db, outbox),
  };
}

/** What members ask about their data. */
export const wireDataRights: WireArea = ({ deps, outbox }) => {
  const services = dataRightDeps(deps, outbox);
  const due = dueDataRights(deps.database.db);
  deps.jobs.recurring({
    name: 'data-rights.clock',
    description: "Tells which requests about members' data are past their day, and goes on with erasures.",
    everyMs: CLOCK_EVERY_MS,
    run: (signal) => dataRightsClock({ ...services, due, logger: deps.logger }, signal),
  });
  return {
    resolvers: [
      [DataRightResolver, new DataRightResolver(services)],
      [DataRightStepsResolver, new DataRightStepsResolver(services)],
    ],
  };
};
