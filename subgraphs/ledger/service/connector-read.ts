import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { ConnectorDeps } from './connector-write.js';
import type { ConnectorQuery, ConnectorRow, ConnectorRun } from './ports/connector-store.js';

/** A connector and how it fares; null where nobody has run it yet. */
export interface ConnectorView {
  readonly connector: ConnectorRow;
  readonly run: ConnectorRun | null;
}

export async function listConnectors(
  deps: ConnectorDeps,
  context: RequestContext,
  query: ConnectorQuery,
): Promise<Page<ConnectorView>> {
  const tenantId = authorise(context, 'connectors:read');
  const rows = await deps.connectors.forTenant(tenantId).list(query);
  const { items, next_cursor } = pageOf(rows, query.limit, (row) => ({
    atMs: row.created_at.getTime(),
    id: row.connector_id,
  }));
  const runs = await deps.runs.of(
    tenantId,
    items.map(({ connector_id }) => connector_id),
  );
  return {
    items: items.map((connector) => ({ connector, run: runs.get(connector.connector_id) ?? null })),
    next_cursor,
  };
}

export async function getConnector(
  deps: ConnectorDeps,
  context: RequestContext,
  connectorId: string,
): Promise<ConnectorView | null> {
  const tenantId = authorise(context, 'connectors:read');
  const connector = isIdOf('connector', connectorId)
    ? await deps.connectors.forTenant(tenantId).get(connectorId)
    : null;
  return connector && viewOf(deps, connector);
}

export async function viewOf({ runs }: Pick<ConnectorDeps, 'runs'>, connector: ConnectorRow): Promise<ConnectorView> {
  const found = await runs.of(connector.tenant_id, [connector.connector_id]);
  return { connector, run: found.get(connector.connector_id) ?? null };
}
