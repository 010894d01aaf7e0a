import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { forWork } from '../../../shared/ids/work.js';
import type { FhirEndpointConfig } from '../domain/connector-kinds.js';
import { type BodyDeps, ingestBody, type TakenBody } from './connector-body.js';
import type { ConnectorDeps } from './connector-write.js';

export interface EndpointDeps extends ConnectorDeps {
  readonly bodies: BodyDeps;
}

/**
 * Takes what a system has posted to a connector; the bytes are in the write-once store.
 * @throws NOT_FOUND for what is no endpoint, CONFLICT for one that is not enabled.
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
  const config = connector?.config as unknown as FhirEndpointConfig | undefined;
  if (!connector || config?.transport !== 'ENDPOINT') throw problem('NOT_FOUND');
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
