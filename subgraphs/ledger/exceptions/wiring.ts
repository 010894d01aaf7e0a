import type { SubgraphDeps } from '../../../shared/contracts/deps.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { LedgerArea, LedgerParts, WireArea } from '../parts.js';
import { clearException, reopenKnownGaps } from './clear-exception.js';
import { EXCEPTION_MACHINE } from './domain/states.js';
import { EXCEPTIONS, exceptionStore, mongoConflictStore } from './model.js';
import { ExceptionOpener, lookedUp, openLostConflicts } from './open-exceptions.js';
import type { ResolveException } from './ports.js';
import { ExceptionQueueResolver, ExceptionResolver, exceptionReferences } from './resolver.js';
import { EXCEPTION_ROW } from './schema.js';
import { serviceItself } from './steps.js';

/** Longest delay in ms before a known gap reopens after its time. */
const REOPEN_INTERVAL_MS = 60_000;
/** Longest delay in ms before an exception is opened that a crash lost. */
const CONFLICTS_INTERVAL_MS = 60_000;

const wire: WireArea = ({ deps, store, openExceptions, exceptionQueue }) => {
  const conflicts = mongoConflictStore(deps.database.db);
  const services = { ...deps, exceptions: exceptionQueue.exceptions };
  deps.jobs.recurring({
    name: 'exceptions.reopen',
    description: 'Reopens known gaps after their time is over.',
    everyMs: REOPEN_INTERVAL_MS,
    run: async (signal) => void (await reopenKnownGaps(services, signal)),
  });
  deps.jobs.recurring({
    name: 'exceptions.conflicts',
    description: 'Opens exceptions of conflicting events that a crash lost.',
    everyMs: CONFLICTS_INTERVAL_MS,
    run: (signal) => openLostConflicts({ store, conflicts, openExceptions }, signal),
  });
  return {
    resolvers: [new ExceptionResolver({ ...services, openExceptions }), new ExceptionQueueResolver(services)],
    close: () => exceptionQueue.opener.idle(),
  };
};

/** The queue of exceptions that people resolve. */
export const exceptionsArea: LedgerArea = {
  resolvers: [ExceptionResolver, ExceptionQueueResolver],
  references: { Exception: ({ exceptionQueue }) => exceptionReferences(exceptionQueue) },
  stateMachines: [EXCEPTION_MACHINE],
  collectionsWithEffects: [EXCEPTIONS.name],
  wire,
};

/** The store of exceptions, and the part that opens them for all areas. */
export function exceptionQueueOf(deps: SubgraphDeps, outbox: EffectRelay): LedgerParts['exceptionQueue'] {
  const exceptions = exceptionStore({ db: deps.database.db, outbox }, EXCEPTION_ROW);
  return { exceptions, opener: new ExceptionOpener({ ...deps, exceptions }) };
}

/** Resolves an exception on behalf of the service, when its cause has gone. */
export const exceptionResolver =
  ({ deps, exceptionQueue: { exceptions } }: Pick<LedgerParts, 'deps' | 'exceptionQueue'>): ResolveException =>
  async (tenantId, kind, subject, note) => {
    const taker = serviceItself(deps.ids);
    await clearException({ ...deps, exceptions }, taker, lookedUp(tenantId), { kind, subject, note });
  };
