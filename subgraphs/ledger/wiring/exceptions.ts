import { mongoConflictStore } from '../model/conflict-model.js';
import { ExceptionQueueResolver } from '../resolvers/exception-queue-resolver.js';
import { ExceptionResolver } from '../resolvers/exception-resolver.js';
import { reopenKnownGaps } from '../service/clear-exception.js';
import { openLostConflicts } from '../service/exception-conflicts.js';
import { SERVICE_TAKER } from '../service/exception-step.js';
import type { WireArea } from './parts.js';

/** A known gap reopens at most this long after its time. */
const REOPEN_INTERVAL_MS = 60_000;
/** What a crash has lost is opened at most this long after. */
const CONFLICTS_INTERVAL_MS = 60_000;

/** What a person must look at. */
export const wireExceptions: WireArea = ({ deps, store, openExceptions, exceptionQueue }) => {
  const conflicts = mongoConflictStore(deps.database.db);
  const services = { ...deps, ...exceptionQueue };
  deps.jobs.recurring({
    name: 'exceptions.reopen',
    description: 'Reopens known gaps whose time is over.',
    everyMs: REOPEN_INTERVAL_MS,
    run: async (signal) => void (await reopenKnownGaps(services, SERVICE_TAKER, signal)),
  });
  deps.jobs.recurring({
    name: 'exceptions.conflicts',
    description: 'Opens exceptions of conflicting events that a crash has lost.',
    everyMs: CONFLICTS_INTERVAL_MS,
    run: (signal) => openLostConflicts({ store, conflicts, openExceptions }, signal),
  });
  return {
    resolvers: [
      [ExceptionResolver, new ExceptionResolver({ ...services, openExceptions })],
      [ExceptionQueueResolver, new ExceptionQueueResolver(services)],
    ],
    close: () => exceptionQueue.effects.idle(),
  };
};
