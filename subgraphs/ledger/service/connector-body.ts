import { Problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { formatOf } from '../domain/connector-kinds.js';
import { isOwnFailure, POISON, persistently } from './connector-poison.js';
import { ingestRaw, type RawIngestDeps } from './ingest-raw.js';
import type { OpenExceptions } from './open-exception.js';
import type { ConnectorCounts, ConnectorRow, ConnectorTrouble } from './ports/connector-store.js';
import type { IngestAnswer } from './ports/ingest-store.js';
import type { TenantContexts } from './tenant-context.js';

export interface BodyDeps extends RawIngestDeps {
  readonly contexts: TenantContexts;
  readonly openExceptions: OpenExceptions;
  readonly maxBodyBytes: number;
}

/** What became of one body. */
export interface TakenBody {
  /** Null when it was refused as a whole. */
  readonly answer: IngestAnswer | null;
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly counts: Partial<ConnectorCounts>;
  readonly trouble: Omit<ConnectorTrouble, 'at'> | null;
}

export interface BodyOptions {
  readonly strict: boolean;
  readonly ids?: Ids;
}

type Owner = Pick<ConnectorRow, 'connector_id' | 'tenant_id' | 'kind' | 'source_system'>;

/**
 * Takes one body in: its bytes go to the write-once store first, then its events into the ledger. Durable when it resolves.
 * What nobody waits for an answer to opens an exception where it is refused as a whole; so does one at which the service itself
 * fails each time, so that what comes after it is not held up. @throws what is worth trying again.
 */
export async function takeBody(
  deps: BodyDeps,
  connector: Owner,
  bytes: AsyncIterable<Uint8Array>,
  options: BodyOptions,
): Promise<TakenBody> {
  const tenant = await deps.contexts.of(connector.tenant_id);
  let stored: Stored;
  try {
    stored = await tenant.worm.putBlob(bytes, deps.maxBodyBytes);
  } catch (error) {
    // Longer than it may be: there is no hash to open an exception for.
    if (!(error instanceof Problem) || error.code !== 'PAYLOAD_TOO_LARGE') throw error;
    return refusedBody(error, { messages: 1, unreadable: 1 }, {});
  }
  try {
    return await persistently(() => ingestBody(deps, connector, stored, options));
  } catch (error) {
    if (!isOwnFailure(error)) throw error;
    return refuse(deps, connector, stored, POISON);
  }
}

/** The same for a body that is in the write-once store. */
export async function ingestBody(
  deps: BodyDeps,
  connector: Owner,
  { sha256, sizeBytes }: Stored,
  { strict, ids }: BodyOptions,
): Promise<TakenBody> {
  const tenant = await deps.contexts.of(connector.tenant_id);
  const { source_system } = connector;
  const format = formatOf(connector.kind);
  const read = { messages: 1, bytes: sizeBytes };
  try {
    const input = { raw_sha256: sha256, format, source_system, strict, ...(ids === undefined ? {} : { ids }) };
    const answer = await ingestRaw(deps, tenant, input);
    return { answer, refusal: null, counts: { ...read, ...countsOf(answer) }, trouble: troubleOf(answer) };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return refuse(deps, connector, { sha256, sizeBytes }, error);
  }
}

interface Stored {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** A body that is kept, and of which nothing was taken. */
async function refuse(
  deps: BodyDeps,
  connector: Owner,
  { sha256, sizeBytes }: Stored,
  error: Problem | typeof POISON,
): Promise<TakenBody> {
  const opened = await deps.openExceptions(connector.tenant_id, [unreadable(connector, sha256, error)]);
  const counts = { messages: 1, bytes: sizeBytes, unreadable: 1, exceptions: opened.length };
  return refusedBody(error, counts, { raw_sha256: sha256 });
}

function refusedBody(
  error: Problem | typeof POISON,
  counts: Partial<ConnectorCounts>,
  place: { readonly raw_sha256?: string },
): TakenBody {
  const told = error instanceof Problem ? error.details.errors?.[0]?.message : undefined;
  const refusal = { code: error.code, message: told ?? error.message };
  return { answer: null, refusal, counts, trouble: { ...refusal, ...place } };
}

/** An exception for bytes that no event came of. */
export const unreadable = (
  connector: Pick<ConnectorRow, 'connector_id' | 'kind'>,
  raw_sha256: string,
  { code, message }: { readonly code: string; readonly message: string },
) => ({
  kind: 'PARSE_FAILED' as const,
  source: 'INGEST' as const,
  subject: { kind: 'RAW_BODY', raw_sha256, at: 0 },
  detail: { code, message, format: formatOf(connector.kind), connector_id: connector.connector_id, byte_offset: 0 },
  raw_sha256,
});

export const countsOf = ({ accepted, duplicated, rejected, exceptions }: IngestAnswer): Partial<ConnectorCounts> => ({
  accepted,
  duplicated,
  rejected,
  exceptions: exceptions.length,
});

/** The first refused part, by its code and place. */
export function troubleOf({ results, raw_sha256 }: IngestAnswer): Omit<ConnectorTrouble, 'at'> | null {
  const refused = results.find(({ status }) => status === 'REJECTED');
  if (!refused?.error) return null;
  const { code, message } = refused.error;
  const offset = refused.position?.['byte_offset'];
  return { code, message, raw_sha256, ...(typeof offset === 'number' ? { byte_offset: offset } : {}) };
}
