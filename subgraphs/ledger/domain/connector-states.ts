import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A connector is a way in that the service keeps open by itself (api.md section 2 "Connectors").

export const CONNECTOR_STATUSES = ['ENABLED', 'DISABLED', 'ERROR'] as const;
export type ConnectorStatus = (typeof CONNECTOR_STATUSES)[number];
/** A deleted connector stays as a row, so that its entries in the ledger name something; no answer shows it. */
export type ConnectorState = ConnectorStatus | 'DELETED';

/** `fail` and `recover` are taken by whoever runs the connector, the others by callers. */
export type ConnectorAction = 'create' | 'update' | 'enable' | 'disable' | 'delete' | 'fail' | 'recover';

const write = { scope: 'connectors:write' } as const;
const itself = { scope: 'internal' } as const;
const update = { ...write, action: 'update', emits: ['connector.updated'] } as const;
const enable = { ...write, action: 'enable', to: 'ENABLED', emits: ['connector.enabled'] } as const;
const disable = { ...write, action: 'disable', to: 'DISABLED', emits: ['connector.disabled'] } as const;
const remove = { ...write, action: 'delete', to: 'DELETED', emits: ['connector.deleted'] } as const;

/** One in ERROR is tried again by itself; enabling it again tries at once. */
export const CONNECTOR_MACHINE = stateMachine<ConnectorState, ConnectorAction>('connector', [
  { from: null, action: 'create', to: 'DISABLED', ...write, emits: ['connector.created'] },
  { from: 'DISABLED', ...enable },
  { from: 'DISABLED', to: 'DISABLED', ...update },
  { from: 'DISABLED', ...remove },
  { from: 'ENABLED', ...disable },
  { from: 'ENABLED', to: 'ENABLED', ...update },
  { from: 'ENABLED', action: 'fail', to: 'ERROR', ...itself, emits: ['connector.failed'] },
  { from: 'ENABLED', ...remove },
  { from: 'ERROR', ...enable },
  { from: 'ERROR', ...disable },
  { from: 'ERROR', to: 'ERROR', ...update },
  { from: 'ERROR', action: 'recover', to: 'ENABLED', ...itself, emits: ['connector.recovered'] },
  { from: 'ERROR', ...remove },
]);
