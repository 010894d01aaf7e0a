import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// A connector is an inbound channel that the service keeps open (api.md section 2 "Connectors").

export const CONNECTOR_STATUSES = ['ENABLED', 'DISABLED', 'ERROR'] as const;
export type ConnectorStatus = (typeof CONNECTOR_STATUSES)[number];
/** A deleted connector stays as a row that its ledger entries refer to; no answer shows it. */
export type ConnectorState = ConnectorStatus | 'DELETED';

/** The runner takes `fail` and `recover`, callers the others. */
export type ConnectorAction = 'create' | 'update' | 'enable' | 'disable' | 'delete' | 'fail' | 'recover';

const WRITE = { scope: 'connectors:write' } as const;
const ITSELF = { scope: 'internal' } as const;
const UPDATE = { ...WRITE, action: 'update', emits: ['connector.updated'] } as const;
const ENABLE = { ...WRITE, action: 'enable', to: 'ENABLED', emits: ['connector.enabled'] } as const;
const DISABLE = { ...WRITE, action: 'disable', to: 'DISABLED', emits: ['connector.disabled'] } as const;
const REMOVE = { ...WRITE, action: 'delete', to: 'DELETED', emits: ['connector.deleted'] } as const;

/** A connector in ERROR is retried automatically; enabling it retries at once. */
export const CONNECTOR_MACHINE = stateMachine<ConnectorState, ConnectorAction>('connector', [
  { from: null, action: 'create', to: 'DISABLED', ...WRITE, emits: ['connector.created'] },
  { from: 'DISABLED', ...ENABLE },
  { from: 'DISABLED', to: 'DISABLED', ...UPDATE },
  { from: 'DISABLED', ...REMOVE },
  { from: 'ENABLED', ...DISABLE },
  { from: 'ENABLED', to: 'ENABLED', ...UPDATE },
  { from: 'ENABLED', action: 'fail', to: 'ERROR', ...ITSELF, emits: ['connector.failed'] },
  { from: 'ENABLED', ...REMOVE },
  { from: 'ERROR', ...ENABLE },
  { from: 'ERROR', ...DISABLE },
  { from: 'ERROR', to: 'ERROR', ...UPDATE },
  { from: 'ERROR', action: 'recover', to: 'ENABLED', ...ITSELF, emits: ['connector.recovered'] },
  { from: 'ERROR', ...REMOVE },
]);
