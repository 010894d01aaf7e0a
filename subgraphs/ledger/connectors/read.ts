import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork } from '../../../shared/ids/work.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { type BodyDeps, ingestBody, type TakenBody } from './body.js';
import type { ConnectorDeps } from './change.js';
import { isConfig } from './domain/kinds.js';
import type { ConnectorRow, ConnectorRun } from './ports.js';

export type ReadConnectorDeps = Pick<ConnectorDeps, 'connectors' | 'runs'>;

/** A connector with its run; null if no process has run it yet. */
export type ConnectorView = ConnectorRow & { readonly run: ConnectorRun | null };

export async function listConnectors(
  { connectors, runs }: ReadConnectorDeps,
  context: RequestContext,
  query: ListQuery<ConnectorRow>,
): Promise<Page<ConnectorView>> {
  const tenantId = authorise(context, 'connectors:read');
  const { items, next_cursor } = await connectors.forTenant(tenantId).page(query);
  return { items: await viewsOf(runs, tenantId, items), next_cursor };
}

/** Returns the connectors with these identifiers, by the rule of `getConnector`. */
export async function namedConnectors(
  { connectors, runs }: ReadConnectorDeps,
  context: RequestContext,
  connectorIds: readonly string[],
): Promise<readonly ConnectorView[]> {
  const tenantId = authorise(context, 'connectors:read');
  return viewsOf(runs, tenantId, await connectors.forTenant(tenantId).among(connectorIds));
}

async function viewsOf(
  runs: ReadConnectorDeps['runs'],
  tenantId: TenantId,
  rows: readonly ConnectorRow[],
): Promise<readonly ConnectorView[]> {
  const ids = rows.map(({ connector_id }) => connector_id);
  const found = await runs.of(tenantId, ids);
  return rows.map((row) => ({ ...row, run: found.get(row.connector_id) ?? null }));
}

export async function getConnector(
  deps: ReadConnectorDeps,
  context: RequestContext,
  connectorId: string,
): Promise<ConnectorView | null> {
  const connectors = deps.connectors.forTenant(authorise(context, 'connectors:read'));
  const connector = isIdOf('connector', connectorId) ? await connectors.get(connectorId) : null;
  return connector && viewOf(deps, connector);
}

export async function viewOf(
  { runs }: Pick<ReadConnectorDeps, 'runs'>,
  connector: ConnectorRow,
): Promise<ConnectorView> {
  const found = await runs.of(connector.tenant_id, [connector.connector_id]);
  return { ...connector, run: found.get(connector.connector_id) ?? null };
}

export interface EndpointDeps extends ConnectorDeps {
  readonly bodies: BodyDeps;
}

/**
 * Ingests a body posted to a connector; its bytes are already in the write-once store. @throws NOT_FOUND if the
 * connector is no endpoint, CONFLICT if it is not enabled.
 */
export async function receiveFhir(
  deps: EndpointDeps,
  context: RequestContext,
  connectorId: string,
  rawSha256: string,
): Promise<TakenBody> {
  const tenantId = authorise(context, 'events:write');
  const connector = isIdOf('connector', connectorId)
    ? await deps.connectors.forTenant(tenantId).get(connectorId)
    : null;
  const config = connector?.config ?? {};
  if (!connector || !isConfig(config) || config.transport !== 'ENDPOINT') throw problem('NOT_FOUND');
  if (connector.status !== 'ENABLED') throw problem('CONFLICT', { message: 'The connector is not enabled.' });
  const { worm } = await deps.bodies.contexts.of(tenantId);
  const sizeBytes = await worm.blobSize(rawSha256);
  if (sizeBytes === null) throw problem('NOT_FOUND');
  const { ids } = forWork(deps, context, 'connector-fhir');
  const options = { strict: config.strict === true, ids };
  const taken = await ingestBody(deps.bodies, connector, { sha256: rawSha256, sizeBytes }, options);
  const at = new Date(deps.clock.nowMs());
  await deps.runs.add(connector, {
    counts: taken.counts,
    last_message_at: at,
    ...(taken.trouble ? { last_error: { ...taken.trouble, at } } : {}),
  });
  return taken;
}
