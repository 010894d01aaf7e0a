import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem, type TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { ConnectorKind } from '../domain/connector-kinds.js';
import type { ConnectorAction } from '../domain/connector-states.js';
import { openConfig, settledConfig, wrapSecrets } from './connector-config.js';
import {
  type ConnectorActor,
  type ConnectorChanges,
  type ConnectorDeps,
  connectorBirth,
  connectorWrite,
  requestActor,
} from './connector-write.js';
import type { ConnectorRow } from './ports/connector-store.js';

export interface ConnectorInput {
  readonly kind: ConnectorKind;
  readonly name: string;
  readonly source_system: string;
  readonly config: JsonObject;
}

export interface ConnectorPatch {
  readonly name?: string;
  readonly source_system?: string;
  readonly config?: JsonObject;
  readonly revision?: number;
}

/** Writers who meet on one connector try again this often. */
const MAX_ATTEMPTS = 10;

/**
 * Makes a connector, DISABLED. A `_records` entry tells of it.
 * @throws VALIDATION_ERROR, CONFLICT when its folder has a connector, or the tenant has as many as it may.
 */
export async function createConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  input: ConnectorInput,
): Promise<ConnectorRow> {
  const tenantId = authorise(context, 'connectors:write');
  refuseReserved(input.source_system);
  const { config, secrets } = settledConfig(deps.settings, input.kind, input.config);
  const actor = requestActor(deps, context, 'create-connector');
  const connectors = deps.connectors.forTenant(tenantId);
  const connector_id = actor.ids.next('connector');
  const at = new Date(deps.clock.nowMs());
  const place = { tenant_id: tenantId, connector_id };
  const write = connectorBirth(actor, {
    ...place,
    kind: input.kind,
    name: input.name,
    source_system: input.source_system,
    direction: 'INBOUND',
    config,
    wrapped_secrets: wrapSecrets(deps, place, secrets),
    status: 'DISABLED',
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
  });
  // Its identifier is taken only when this very request has run before: what it made is the answer.
  const before = context.workId === null ? null : await connectors.get(connector_id);
  if (before) return before;
  const most = deps.settings.limits.perTenant;
  if ((await connectors.count()) >= most) {
    throw problem('CONFLICT', { message: `A tenant may have ${most} connectors here.` });
  }
  const made = await connectors.insert(write);
  if (!made) throw folderTaken();
  await connectors.relay(write);
  return made;
}

/** @throws NOT_FOUND, VALIDATION_ERROR, CONFLICT at another revision or for a folder that is taken. */
export function updateConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
  { revision, config, ...members }: ConnectorPatch,
): Promise<ConnectorRow> {
  const actor = requestActor(deps, context, 'update-connector');
  if (members.source_system !== undefined) refuseReserved(members.source_system);
  return change(deps, authorise(context, 'connectors:write'), connectorId, (standing) => {
    if (isDoneBy(actor, standing)) return null;
    if (revision !== undefined && revision !== standing.revision) {
      throw problem('CONFLICT', { message: 'The connector is at another revision than the one named.' });
    }
    if (config === undefined) return { actor, action: 'update', changes: members };
    const settled = settledConfig(deps.settings, standing.kind, config, openConfig(deps.masterKey, standing));
    const wrapped_secrets = wrapSecrets(deps, standing, settled.secrets);
    return { actor, action: 'update', changes: { ...members, config: settled.config, wrapped_secrets } };
  });
}

/** Opens it; one that is in ERROR is tried at once. What is ENABLED stays as it is. @throws NOT_FOUND */
export async function enableConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
): Promise<ConnectorRow> {
  const actor = requestActor(deps, context, 'enable-connector');
  const tenantId = authorise(context, 'connectors:write');
  const changed = await change(deps, tenantId, connectorId, (standing) =>
    standing.status === 'ENABLED' ? null : { actor, action: 'enable', changes: {} },
  );
  await deps.runs.add(changed, { retry_at: null, attempts: 0 });
  deps.wake();
  return changed;
}

/** Closes it: what has come in is finished first. What is DISABLED stays as it is. @throws NOT_FOUND */
export function disableConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
): Promise<ConnectorRow> {
  const actor = requestActor(deps, context, 'disable-connector');
  return change(deps, authorise(context, 'connectors:write'), connectorId, (standing) =>
    standing.status === 'DISABLED' ? null : { actor, action: 'disable', changes: {} },
  );
}

/** Its events stay, and so do its entries in the ledger and its files. @throws NOT_FOUND */
export function deleteConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
): Promise<ConnectorRow> {
  const actor = requestActor(deps, context, 'delete-connector');
  return change(deps, authorise(context, 'connectors:write'), connectorId, () => ({
    actor,
    action: 'delete',
    changes: { wrapped_secrets: {} },
  }));
}

export interface ConnectorChange {
  readonly actor: ConnectorActor;
  readonly action: ConnectorAction;
  readonly changes: ConnectorChanges;
}

type ChangeDeps = Pick<ConnectorDeps, 'clock' | 'connectors' | 'wake'>;

/** Read, decide, write on what was read. @param decide null leaves it as it is. */
export async function change(
  deps: ChangeDeps,
  tenantId: TenantId,
  connectorId: string,
  decide: (standing: ConnectorRow) => ConnectorChange | null,
): Promise<ConnectorRow> {
  const connectors = deps.connectors.forTenant(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('connector', connectorId) ? await connectors.get(connectorId) : null;
    if (!standing) throw problem('NOT_FOUND');
    const wanted = decide(standing);
    if (!wanted) return standing;
    const write = connectorWrite(deps, wanted.actor, standing, wanted.action, wanted.changes);
    const changed = await connectors.replace(write, standing.revision);
    if (changed) {
      await connectors.relay(write);
      deps.wake();
      return changed;
    }
    const now = await connectors.get(connectorId);
    if (now?.revision === standing.revision) throw folderTaken();
  }
  throw problem('CONFLICT', { message: 'The connector is being changed by others; read it and try again.' });
}

const folderTaken = () => problem('CONFLICT', { message: 'Another connector has this folder.' });

/** The same request, run again after its answer was lost. */
const isDoneBy = ({ work_id }: ConnectorActor, { history }: ConnectorRow): boolean =>
  work_id !== null && history.some((step) => step.work_id === work_id);

function refuseReserved(sourceSystem: string): void {
  if (!isReservedSourceSystem(sourceSystem)) return;
  const errors = [fault('/source_system', 'reserved', 'This source system is reserved for the service itself.')];
  throw problem('VALIDATION_ERROR', { errors });
}
