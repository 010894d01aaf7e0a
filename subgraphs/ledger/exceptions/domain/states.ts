import { INTERNAL_SCOPE } from '../../../../shared/auth/scopes.js';
import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

export const EXCEPTION_STATUSES = ['OPEN', 'ASSIGNED', 'KNOWN_GAP', 'RESOLVED'] as const;
export type ExceptionStatus = (typeof EXCEPTION_STATUSES)[number];

/** Who found it. */
export const EXCEPTION_SOURCES = ['INGEST', 'RECONCILIATION'] as const;
export type ExceptionSource = (typeof EXCEPTION_SOURCES)[number];

export type ExceptionAction = 'open' | 'assign' | 'mark-known-gap' | 'reopen' | 'clear' | 'resolve';

const write = { scope: 'exceptions:write' } as const;
const service = { scope: INTERNAL_SCOPE } as const;
const assign = { ...write, action: 'assign', to: 'ASSIGNED', emits: ['exception.assigned'] } as const;
const gap = { ...write, action: 'mark-known-gap', to: 'KNOWN_GAP', emits: ['exception.known-gap'] } as const;
const resolve = { ...write, action: 'resolve', to: 'RESOLVED', emits: ['exception.resolved'] } as const;
const clear = { ...service, action: 'clear', to: 'RESOLVED', emits: ['exception.resolved'] } as const;

/**
 * The service opens exceptions and people resolve them (api.md section 2 "Exceptions"). `clear`: the cause has gone.
 * `reopen`: the time of a known gap is over. RESOLVED is final: a repetition is a new exception.
 */
export const EXCEPTION_MACHINE = stateMachine<ExceptionStatus, ExceptionAction>('exception', [
  { from: null, action: 'open', to: 'OPEN', ...service, emits: ['exception.opened'] },
  { from: 'OPEN', ...assign },
  { from: 'ASSIGNED', ...assign },
  { from: 'OPEN', ...gap },
  { from: 'ASSIGNED', ...gap },
  { from: 'KNOWN_GAP', ...gap },
  { from: 'KNOWN_GAP', action: 'reopen', to: 'OPEN', ...service, emits: ['exception.reopened'] },
  { from: 'OPEN', ...clear },
  { from: 'ASSIGNED', ...clear },
  { from: 'KNOWN_GAP', ...clear },
  { from: 'OPEN', ...resolve },
  { from: 'ASSIGNED', ...resolve },
  { from: 'KNOWN_GAP', ...resolve },
]);
