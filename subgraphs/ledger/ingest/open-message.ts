import { isoTime } from '../../../shared/clock/clock.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isReservedSourceSystem } from '../../../shared/ids/tenant.js';
import type { IngestDeps } from '../append/index.js';
import { SNIFF_BYTES } from '../formats/domain.js';
import type { AdapterItem, AdapterLimits, AdapterOptions, FormatAdapter } from '../formats/index.js';
import type { AgreementsOn } from '../source-feeds/index.js';
import { chooseFormat } from './choose-format.js';
import { EncodingWatch } from './encoding-watch.js';
import type { IngestWarning } from './ports.js';

export interface MessageDeps extends Pick<IngestDeps, 'clock' | 'contractCheck'> {
  readonly adapterFor: (format: string) => FormatAdapter | null;
  readonly adapterLimits: AdapterLimits;
  /** The faults that the tenant agreed on with its senders of X12. */
  readonly agreements: AgreementsOn;
}

/** What the sender says about a raw message. */
export interface MessageStatements {
  readonly format?: string;
  readonly content_type?: string;
  readonly source_system?: string;
  readonly strict?: boolean;
  /** The EBCDIC code page that the facade converted the body from. */
  readonly converted_from?: string;
}

/** A raw message that an adapter reads. */
interface OpenMessage {
  readonly format: string;
  readonly adapter: FormatAdapter;
  /** ISO 8601; the time of events without a time. */
  readonly receivedAt: string;
  readonly strict: boolean;
  readonly items: AsyncIterable<AdapterItem>;
  /** Warnings about the body; known once the items are read. */
  readonly warnings: () => readonly IngestWarning[];
}

/** @throws VALIDATION_ERROR for a wrong source system; the errors of chooseFormat */
export async function openMessage(
  deps: MessageDeps,
  tenantId: string,
  stated: MessageStatements,
  bytes: AsyncIterable<Uint8Array>,
): Promise<OpenMessage> {
  const body = new Peeked(bytes);
  const format = chooseFormat(
    { format: stated.format, contentType: stated.content_type },
    await body.head(SNIFF_BYTES),
  );
  const adapter = deps.adapterFor(format);
  if (!adapter) throw problem('UNSUPPORTED_MEDIA_TYPE', { message: `The format ${format} is not supported yet.` });
  const receivedAt = isoTime(deps.clock.nowMs());
  const strict = stated.strict === true;
  const agreements = format === 'x12' ? await deps.agreements(tenantId, receivedAt.slice(0, 10)) : NO_AGREEMENTS;
  const options: AdapterOptions = {
    ...(stated.source_system === undefined ? {} : { sourceSystem: stated.source_system }),
    strict,
    receivedAt,
    agreementOf: (sourceSystem) => agreements.get(sourceSystem) ?? null,
    limits: deps.adapterLimits,
  };
  const encoding = new EncodingWatch();
  return {
    format,
    adapter,
    receivedAt,
    strict,
    items: adapter.read(encoding.watch(body.all()), options),
    warnings: () => [convertedWarning(stated.converted_from), encoding.warning].filter((one) => one !== null),
  };
}

const NO_AGREEMENTS: Awaited<ReturnType<AgreementsOn>> = new Map();

/** Reports the code page of a body that arrived in EBCDIC. */
function convertedWarning(page: string | undefined): IngestWarning | null {
  if (page !== 'cp037' && page !== 'cp1047') return null;
  return { code: 'ENCODING_CONVERTED', message: `the body was sent in EBCDIC (${page}) and is stored in ISO 8859-1` };
}

/** The caller's source system applies to every event, so a wrong name is the request's fault. @throws VALIDATION_ERROR */
export function checkSourceSystem(
  { contractCheck }: Pick<MessageDeps, 'contractCheck'>,
  sourceSystem: string | undefined,
): void {
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
