import { isoTime } from '../../../shared/clock/clock.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { IngestDeps, TenantContext } from '../append/index.js';
import { SNIFF_BYTES } from '../formats/domain.js';
import type { AdapterLimits, AdapterOptions, FormatAdapter } from '../formats/index.js';
import type { AgreementsOn } from '../source-feeds/index.js';
import { chooseFormat } from './choose-format.js';
import type { CodeWatch } from './code-watch.js';
import { type ControlNumberDeps, ControlNumberWatch } from './control-number-watch.js';
import { EncodingWatch } from './encoding-watch.js';
import type { AcknowledgementNumbers, IngestAnswer, IngestStore, IngestWarning } from './ports.js';
import { RawIngestRun } from './run.js';

export interface RawIngestDeps extends IngestDeps, ControlNumberDeps {
  readonly ids: Ids;
  readonly ingests: (tenantId: string) => IngestStore;
  readonly acknowledgementNumbers: (tenantId: string) => AcknowledgementNumbers;
  readonly adapterFor: (format: string) => FormatAdapter | null;
  readonly adapterLimits: AdapterLimits;
  /** The faults that the tenant agreed on with its senders of X12. */
  readonly agreements: AgreementsOn;
  /** The vault, for the documents inside messages. */
  readonly documents: Pick<Documents, 'file'>;
  /** Warns of codes that the imported tables do not allow. */
  readonly codeWatch: Pick<CodeWatch, 'mark'>;
}

interface RawIngestInput {
  /** A blob of the tenant: the raw bytes are already in the write-once store. */
  readonly raw_sha256: string;
  readonly format?: string;
  readonly content_type?: string;
  readonly source_system?: string;
  readonly strict?: boolean;
  /** The EBCDIC code page that the facade converted the body from. */
  readonly converted_from?: string;
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
  const body = new Peeked(tenant.worm.readBlob(input.raw_sha256));
  const format = chooseFormat({ format: input.format, contentType: input.content_type }, await body.head(SNIFF_BYTES));
  const adapter = deps.adapterFor(format);
  if (!adapter) throw problem('UNSUPPORTED_MEDIA_TYPE', { message: `The format ${format} is not supported yet.` });
  const receivedAt = isoTime(deps.clock.nowMs());
  const strict = input.strict === true;
  const acknowledgements = deps.acknowledgementNumbers(tenant.tenantId);
  const run = new RawIngestRun({ ...deps, ingests: deps.ingests(tenant.tenantId), acknowledgements }, tenant, {
    ingestId: (input.ids ?? deps.ids).next('ingest'),
    rawSha256: input.raw_sha256,
    ids: input.ids,
    acknowledger: adapter.acknowledger?.({ strict }) ?? null,
  });
  const agreements = format === 'x12' ? await deps.agreements(tenant.tenantId, receivedAt.slice(0, 10)) : NO_AGREEMENTS;
  const options: AdapterOptions = {
    ...(input.source_system === undefined ? {} : { sourceSystem: input.source_system }),
    strict,
    receivedAt,
    agreementOf: (sourceSystem) => agreements.get(sourceSystem) ?? null,
    limits: deps.adapterLimits,
  };
  const { raw_sha256, source_system } = input;
  const watch = new ControlNumberWatch(deps, tenant.tenantId, { format, raw_sha256, source_system });
  const encoding = new EncodingWatch();
  for await (const item of adapter.read(encoding.watch(body.all()), options)) {
    await watch.see(item);
    await run.take(item);
  }
  const warnings = [convertedWarning(input.converted_from), encoding.warning].filter((one) => one !== null);
  const answer = await run.finish({ format, received_at: receivedAt, warnings });
  await watch.finish();
  return answer;
}

const NO_AGREEMENTS: Awaited<ReturnType<AgreementsOn>> = new Map();

/** Reports the code page of a body that arrived in EBCDIC. */
function convertedWarning(page: string | undefined): IngestWarning | null {
  if (page !== 'cp037' && page !== 'cp1047') return null;
  return { code: 'ENCODING_CONVERTED', message: `the body was sent in EBCDIC (${page}) and is stored in ISO 8859-1` };
}

/** The caller's source system applies to every event, so a wrong name is the request's fault. */
function checkSourceSystem({ contractCheck }: RawIngestDeps, sourceSystem: string | undefined): void {
  if (sourceSystem === undefined) return;
  const errors = contractCheck({ source_system: sourceSystem }).filter(({ path }) => path === '/source_system');
  if (isReservedSourceSystem(sourceSystem)) {
    errors.push(fault('/source_system', 'reserved', 'This source system is reserved for the service.'));
  }
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

/** A stream that allows its first bytes to be read ahead. */
class Peeked {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #held: Uint8Array[] = [];

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async head(bytes: number): Promise<Uint8Array> {
    let length = 0;
    while (length < bytes) {
      const next = await this.#source.next();
      if (next.done) break;
      this.#held.push(next.value);
      length += next.value.length;
    }
    return Buffer.concat(this.#held).subarray(0, bytes);
  }

  async *all(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#held;
      for (let next = await this.#source.next(); !next.done; next = await this.#source.next()) yield next.value;
    } finally {
      await this.#source.return?.();
    }
  }
}
