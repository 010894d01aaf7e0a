import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isReservedSourceSystem, type TenantId } from '../../../shared/ids/tenant.js';
import {
  type RecordKind,
  RecordSteps,
  requestTaker,
  type StepDeps,
  type StepTaker,
} from '../../../shared/records/steps.js';
import { type ConnectorConfigDeps, openConfig, settledConfig, wrapSecrets } from './config.js';
import { CONNECTOR_MACHINE } from './domain/states.js';
import type { ConnectorRow, ConnectorRuns, ConnectorStore } from './ports.js';
import type { ConnectorMembers } from './schema/connector.js';

export interface ConnectorDeps extends StepDeps {
  readonly connectors: ConnectorStore;
  readonly runs: ConnectorRuns;
  readonly settings: ConnectorConfigDeps;
  /** Makes the supervisor of this process look at its connectors at once. */
  readonly wake: () => void;
}

/** Entries name no address, no folder and no secret. */
const CONNECTOR: RecordKind<ConnectorRow, 'connector_id'> = {
  machine: CONNECTOR_MACHINE,
  idKind: 'connector',
  id: 'connector_id',
  noun: 'connector',
  family: 'connector',
  payload: ({ connector_id, kind, source_system }, { actor_id: _, ...step }) => ({
    connector_id,
    kind,
    source_system,
    ...step,
  }),
  line: ({ actor_id: _, ...line }) => line,
  revisionFirst: true,
  // A repeated request makes sure of the status, whatever others did between.
  takenAgain: ['enable', 'disable'],
};

export const connectorSteps = (
  { clock, connectors }: Pick<ConnectorDeps, 'clock' | 'connectors'>,
  taker: StepTaker,
  tenantId: TenantId,
): RecordSteps<ConnectorRow, 'connector_id'> =>
  new RecordSteps(CONNECTOR, { clock, taker, rows: connectors.forTenant(tenantId) });

const folderTaken = () => problem('CONFLICT', { message: 'Another connector uses this folder.' });

const stepsBy = (deps: ConnectorDeps, context: RequestContext) =>
  connectorSteps(deps, requestTaker(deps, context), authorise(context, 'connectors:write'));

/**
 * Creates a connector with status DISABLED.
 *
 * @throws VALIDATION_ERROR; CONFLICT if another connector uses its folder or the tenant has reached its limit.
 */
export async function createConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  { config: given, ...members }: ConnectorMembers,
): Promise<ConnectorRow> {
  const steps = stepsBy(deps, context);
  const { tenantId } = steps.rows;
  refuseReserved(members.source_system);
  const { config, secrets } = settledConfig(deps.settings, members.kind, given);
  const create = async (connector_id: string) => {
    // A repeated request has its connector already.
    if ((await steps.rows.get(connector_id)) === null) await refuseFull(deps, tenantId);
    const wrapped_secrets = wrapSecrets(deps, { tenant_id: tenantId, connector_id }, secrets);
    return { ...members, direction: 'INBOUND' as const, config, wrapped_secrets };
  };
  return steps.create(create, { taken: folderTaken });
}

/** @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT at another revision or for a folder in use. */
export async function updateConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
  { revision, members }: { readonly revision: number | undefined; readonly members: Partial<ConnectorMembers> },
): Promise<ConnectorRow> {
  const steps = stepsBy(deps, context);
  const { config, ...others } = members;
  if (others.source_system !== undefined) refuseReserved(others.source_system);
  const change = (before: ConnectorRow) => {
    if (config === undefined) return others;
    const settled = settledConfig(deps.settings, before.kind, config, openConfig(deps.masterKey, before));
    const wrapped_secrets = wrapSecrets(deps, before, settled.secrets);
    return { ...others, config: settled.config, wrapped_secrets };
  };
  return woken(deps, steps.take(connectorId, 'update', { revision, change, taken: folderTaken }));
}

/** Enables a connector; one in ERROR is retried at once. No change if ENABLED. @throws NOT_FOUND */
export async function enableConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
): Promise<ConnectorRow> {
  const action = ({ status }: ConnectorRow) => (status === 'ENABLED' ? null : 'enable');
  const changed = await stepsBy(deps, context).take(connectorId, action);
  await deps.runs.add(changed, { retry_at: null, attempts: 0 });
  deps.wake();
  return changed;
}

/** Disables a connector after it has finished received messages. No change if DISABLED. @throws NOT_FOUND */
export const disableConnector = (
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
): Promise<ConnectorRow> => {
  const action = ({ status }: ConnectorRow) => (status === 'DISABLED' ? null : 'disable');
  return woken(deps, stepsBy(deps, context).take(connectorId, action));
};

/** Deletes a connector; its events, ledger entries and files stay. @throws NOT_FOUND */
export const deleteConnector = (
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
): Promise<ConnectorRow> => {
  const change = () => ({ wrapped_secrets: {} });
  return woken(deps, stepsBy(deps, context).take(connectorId, 'delete', { change }));
};

async function woken({ wake }: ConnectorDeps, change: Promise<ConnectorRow>): Promise<ConnectorRow> {
  const changed = await change;
  wake();
  return changed;
}

async function refuseFull({ connectors, settings }: ConnectorDeps, tenantId: ConnectorRow['tenant_id']): Promise<void> {
  const most = settings.limits.perTenant;
  if ((await connectors.forTenant(tenantId).count()) < most) return;
  throw problem('CONFLICT', { message: `A tenant may have at most ${most} connectors.` });
}

function refuseReserved(sourceSystem: string): void {
  if (!isReservedSourceSystem(sourceSystem)) return;
  const errors = [fault('/source_system', 'reserved', 'This source system is reserved for the service.')];
  throw problem('VALIDATION_ERROR', { errors });
}
