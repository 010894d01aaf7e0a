import { delay } from '../../../shared/clock/timers.js';
import { Problem } from '../../../shared/errors/problem.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantContexts } from '../append/index.js';
import type { OpenExceptions } from '../exceptions/index.js';
import { type IngestAnswer, ingestRaw, type RawIngestDeps } from '../ingest/index.js';
import { formatOf } from './domain/kinds.js';
import type { ConnectorCounts, ConnectorRow, ConnectorTrouble } from './ports.js';

export interface BodyDeps extends RawIngestDeps {
  readonly contexts: TenantContexts;
  readonly openExceptions: OpenExceptions;
  readonly maxBodyBytes: number;
}

/** The result of one body. */
export interface TakenBody {
  /** Null if the body was rejected as a whole. */
  readonly answer: IngestAnswer | null;
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly counts: Partial<ConnectorCounts>;
  readonly trouble: Omit<ConnectorTrouble, 'at'> | null;
}

interface BodyOptions {
  readonly strict: boolean;
  readonly ids?: Ids;
}

type Owner = Pick<ConnectorRow, 'connector_id' | 'tenant_id' | 'kind' | 'source_system'>;

/**
 * Ingests one body: stores its bytes in the write-once store, then its events in the ledger. Durable when it resolves.
 * Opens an exception if the body is rejected as a whole and no sender waits for an answer, or if the service fails on
 * it every time, so that later bodies proceed. @throws errors that are worth a retry.
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
    // Too long to store, so there is no hash for an exception.
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

/** Ingests a body that is already in the write-once store. */
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

/** The result of a stored body that yielded nothing. */
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
  const detail = error instanceof Problem ? error.details.errors?.[0]?.message : undefined;
  const refusal = { code: error.code, message: detail ?? error.message };
  return { answer: null, refusal, counts, trouble: { ...refusal, ...place } };
}

/** Opens an exception for bytes that yielded no event. */
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

/** The first rejected part, by code and position. */
export function troubleOf({ results, raw_sha256 }: IngestAnswer): Omit<ConnectorTrouble, 'at'> | null {
  const refused = results.find(({ status }) => status === 'REJECTED');
  if (!refused?.error) return null;
  const { code, message } = refused.error;
  const offset = refused.position?.['byte_offset'];
  return { code, message, raw_sha256, ...(typeof offset === 'number' ? { byte_offset: offset } : {}) };
}

/** Delay between attempts: a conflict with another write passes, a fault in the bytes does not. */
const PAUSES_MS = [200, 1_000];

/**
 * Reported for bytes on which the service fails every time. The bytes are stored as rejected, with an exception for a
 * person, so that later messages proceed.
 */
export const POISON = {
  code: 'INTERNAL',
  message: 'The service failed each time it read this body. The bytes are stored and can be posted again.',
} as const;

/** True for a fault of the service; an unreachable database or delayed writes are worth waiting for. */
export const isOwnFailure = (error: unknown): boolean => asProblem(error).code === POISON.code;

/** Repeats idempotent work until it does not end in a fault of the service. @throws the last failure */
export async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isOwnFailure(error)) throw error;
      await delay(pauseMs);
    }
  }
  return work();
}
