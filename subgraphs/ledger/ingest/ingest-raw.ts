import type { Documents } from '../../../shared/contracts/documents.js';
import { problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { IngestDeps, TenantContext } from '../append/index.js';
import type { CodeWatch } from './code-watch.js';
import { type ControlNumberDeps, ControlNumberWatch } from './control-number-watch.js';
import { checkSourceSystem, type MessageDeps, type MessageStatements, openMessage } from './open-message.js';
import type { AcknowledgementNumbers, IngestAnswer, IngestStore } from './ports.js';
import { RawIngestRun } from './run.js';

export interface RawIngestDeps extends IngestDeps, ControlNumberDeps, MessageDeps {
  readonly ids: Ids;
  readonly ingests: (tenantId: string) => IngestStore;
  readonly acknowledgementNumbers: (tenantId: string) => AcknowledgementNumbers;
  /** The vault, for the documents inside messages. */
  readonly documents: Pick<Documents, 'file'>;
  /** Warns of codes that the imported tables do not allow. */
  readonly codeWatch: Pick<CodeWatch, 'mark'>;
}

interface RawIngestInput extends MessageStatements {
  /** A blob of the tenant: the raw bytes are already in the write-once store. */
  readonly raw_sha256: string;
  /** The request's work id, from which the ingest and its events take their identifiers. */
  readonly ids?: Ids;
}

/**
 * Reads a raw message from the write-once store and appends one event for each thing found. Reports unreadable parts
 * with their place and opens exceptions; stores the rest. The same bytes again add nothing.
 *
 * @throws NOT_FOUND for an unknown blob; the errors of chooseFormat; UNAVAILABLE if a write failed.
 */
export async function ingestRaw(
  deps: RawIngestDeps,
  tenant: TenantContext,
  input: RawIngestInput,
): Promise<IngestAnswer> {
  checkSourceSystem(deps, input.source_system);
  if ((await tenant.worm.blobSize(input.raw_sha256)) === null) throw problem('NOT_FOUND');
  const message = await openMessage(deps, tenant.tenantId, input, tenant.worm.readBlob(input.raw_sha256));
  const { format, adapter, receivedAt, strict } = message;
  const acknowledgements = deps.acknowledgementNumbers(tenant.tenantId);
  const run = new RawIngestRun({ ...deps, ingests: deps.ingests(tenant.tenantId), acknowledgements }, tenant, {
    ingestId: (input.ids ?? deps.ids).next('ingest'),
    rawSha256: input.raw_sha256,
    ids: input.ids,
    acknowledger: adapter.acknowledger?.({ strict }) ?? null,
  });
  const { raw_sha256, source_system } = input;
  const watch = new ControlNumberWatch(deps, tenant.tenantId, { format, raw_sha256, source_system });
  for await (const item of message.items) {
    await watch.see(item);
    await run.take(item);
  }
  const answer = await run.finish({ format, received_at: receivedAt, warnings: message.warnings() });
  await watch.finish();
  return answer;
}
