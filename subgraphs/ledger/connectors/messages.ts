import { isoTime } from '../../../shared/clock/clock.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import { BLOB_BLOCK_BYTES, type StoredBlobs } from '../../../shared/worm/worm-store.js';
import type { TenantContext } from '../append/index.js';
import { looksLikeUtf16, sniffFormat } from '../formats/domain.js';
import type { AdapterItem, FormatAdapter, WrapperItem } from '../formats/index.js';
import {
  type AcknowledgementNumbers,
  type ControlNumber,
  checkControlNumbers,
  controlNumberOf,
  type IngestAnswer,
  type IngestStore,
  RawIngestRun,
} from '../ingest/index.js';
import { type BodyDeps, countsOf, isOwnFailure, POISON, persistently, troubleOf, unreadable } from './body.js';
import type { ConnectorCounts, ConnectorRow, ConnectorTrouble } from './ports.js';
import { GatheredIngests, Lanes } from './together.js';

export interface MessageDeps extends BodyDeps {
  /** The adapter of the message format. */
  readonly messageAdapter: FormatAdapter;
}

/** The result of one message. */
interface TakenMessage {
  /**
   * The answer to send; empty if the sender expects none. Null: nothing was committed, and the sender must repeat the
   * message.
   */
  readonly answer: string | null;
  readonly counts: Partial<ConnectorCounts>;
  readonly trouble: Omit<ConnectorTrouble, 'at'> | null;
}

type Owner = Pick<ConnectorRow, 'connector_id' | 'tenant_id' | 'kind' | 'source_system'>;

interface TakeOptions {
  readonly strict: boolean;
  /** The lanes of one connector. Their batches overlap: one is appended while the bytes of the next are stored. */
  readonly lanes?: Lanes;
  readonly numbers?: AcknowledgementNumbers;
  /** Called when the next batch may begin. */
  readonly stored?: () => void;
}

/**
 * Ingests messages that arrived together. Each is a separate body, as if posted alone; they share the appends of their
 * chains. Everything answered is durable when it resolves. Answers are in message order. Retries a failed message
 * alone, so that one bad message does not fail its batch.
 */
export async function takeMessages(
  deps: MessageDeps,
  connector: Owner,
  messages: readonly Buffer[],
  options: TakeOptions,
): Promise<readonly TakenMessage[]> {
  const taken = await takeTogether(deps, connector, messages, options).catch((error: Error) => {
    if (!isOwnFailure(error)) throw error;
    return messages.map(() => error);
  });
  const answers: TakenMessage[] = [];
  for (const [at, one] of taken.entries()) {
    const bytes = messages[at] ?? NOTHING;
    if (!(one instanceof Error)) answers.push(one);
    else answers.push(isOwnFailure(one) ? await takeAlone(deps, connector, bytes, options) : notCommitted(one));
  }
  return answers;
}

const NOTHING = Buffer.alloc(0);

const notCommitted = (error: unknown): TakenMessage => {
  const message = 'A message could not be committed. Its sender must send it again.';
  return { answer: null, counts: { failures: 1 }, trouble: { code: asProblem(error).code, message } };
};

/**
 * Rejects a message that fails every time: without an answer its sender would repeat it forever and block all later
 * messages.
 */
async function takeAlone(
  deps: MessageDeps,
  connector: Owner,
  bytes: Buffer,
  options: TakeOptions,
): Promise<TakenMessage> {
  try {
    return await persistently(async () => {
      const [taken] = await takeTogether(deps, connector, [bytes], options);
      if (taken === undefined || taken instanceof Error) throw taken ?? new Error('a message was not stored');
      return taken;
    });
  } catch (error) {
    return isOwnFailure(error) ? refusePoison(deps, connector, bytes).catch(notCommitted) : notCommitted(error);
  }
}

/** The result of each message, or why it could not be committed. Batches of one connector pass each lane in order. */
async function takeTogether(
  deps: MessageDeps,
  connector: Owner,
  messages: readonly Buffer[],
  { strict, lanes = new Lanes(), numbers, stored }: TakeOptions,
): Promise<readonly (TakenMessage | Error)[]> {
  const tenant = await deps.contexts.of(connector.tenant_id);
  const ingests = new GatheredIngests(deps.ingests(tenant.tenantId));
  const acknowledgements = numbers ?? deps.acknowledgementNumbers(tenant.tenantId);
  const shared = { strict, ingests, acknowledgements };
  const { blobs, read } = await lanes.storing.run(async () => {
    // Parse while the bytes are written to disk.
    const [kept, items] = await Promise.all([
      storedMessages(deps, tenant, messages),
      readAhead(deps, connector, messages, strict),
    ]);
    return { blobs: kept, read: items };
  });
  stored?.();
  const controls: ControlNumber[][] = messages.map(() => []);
  const taken = await lanes.appending.run(() =>
    Promise.all(
      messages.map((bytes, at) => {
        const raw_sha256 = blobs.hashes[at] ?? '';
        const message = { ...shared, bytes, raw_sha256, items: read[at] ?? null, numbers: controls[at] ?? [] };
        return takeMessage(deps, tenant, connector, message).catch(asError);
      }),
    ),
  );
  // Check control numbers in arrival order, once and before any answer.
  await lanes.reporting.run(() =>
    Promise.all([checkControlNumbers(deps, connector.tenant_id, controls.flat()), ingests.flush(), blobs.recorded]),
  );
  return taken;
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error('a message could not be stored', { cause: error });

/**
 * Returns the hashes. The bytes are in the write-once store when it resolves, and recorded when `recorded` resolves.
 */
async function storedMessages(
  deps: MessageDeps,
  { worm }: TenantContext,
  messages: readonly Buffer[],
): Promise<{ readonly hashes: readonly string[]; readonly recorded: Promise<void> }> {
  const small = messages.every(({ length }) => length <= BLOB_BLOCK_BYTES);
  const { blobs, recorded }: StoredBlobs = small
    ? await worm.putSmallBlobs(messages)
    : {
        blobs: await Promise.all(messages.map((bytes) => worm.putBlob(once(bytes), deps.maxBodyBytes))),
        recorded: Promise.resolve(),
      };
  return { hashes: blobs.map(({ sha256 }) => sha256), recorded };
}

/** Larger messages are read during their append, so that parsed messages never fill the memory. */
const MAX_READ_AHEAD_BYTES = 64 * 1024;

/** The items of each message; null if it is read later or cannot be read. */
function readAhead(
  deps: MessageDeps,
  connector: Owner,
  messages: readonly Buffer[],
  strict: boolean,
): Promise<readonly (readonly AdapterItem[] | null)[]> {
  return Promise.all(
    messages.map(async (bytes) => {
      if (bytes.length > MAX_READ_AHEAD_BYTES || isNoMessage(bytes)) return null;
      const items: AdapterItem[] = [];
      try {
        for await (const item of itemsOf(deps, connector, bytes, strict)) items.push(item);
        return items;
      } catch {
        return null;
      }
    }),
  );
}

const isNoMessage = (bytes: Buffer): boolean => looksLikeUtf16(bytes) || sniffFormat(bytes) !== 'hl7v2';

function itemsOf(
  deps: MessageDeps,
  { source_system }: Owner,
  bytes: Buffer,
  strict: boolean,
): AsyncIterable<AdapterItem> {
  const receivedAt = isoTime(deps.clock.nowMs());
  const options = { sourceSystem: source_system, strict, receivedAt, limits: deps.adapterLimits };
  return deps.messageAdapter.read(once(bytes), options);
}

interface Message {
  readonly bytes: Buffer;
  readonly raw_sha256: string;
  /** Null: not read yet. */
  readonly items: readonly AdapterItem[] | null;
  readonly ingests: IngestStore;
  readonly acknowledgements: AcknowledgementNumbers;
  readonly strict: boolean;
  /** Receives the control numbers of the message. */
  readonly numbers: ControlNumber[];
}

async function takeMessage(
  deps: MessageDeps,
  tenant: TenantContext,
  connector: Owner,
  { bytes, raw_sha256, items, strict, numbers, ingests, acknowledgements }: Message,
): Promise<TakenMessage> {
  const { messageAdapter: adapter } = deps;
  const read = { messages: 1, bytes: bytes.length };
  if (items === null && isNoMessage(bytes)) {
    return noMessage(deps, connector, { raw_sha256, acknowledgements }, { ...read, unreadable: 1 });
  }
  const receivedAt = isoTime(deps.clock.nowMs());
  const run = new RawIngestRun({ ...deps, ingests, acknowledgements }, tenant, {
    ingestId: deps.ids.next('ingest'),
    rawSha256: raw_sha256,
    ids: undefined,
    acknowledger: adapter.acknowledger?.({ strict }) ?? null,
  });
  const about = { format: 'hl7v2', raw_sha256, source_system: connector.source_system };
  for await (const item of items ?? itemsOf(deps, connector, bytes, strict)) {
    const number = controlNumberOf(item, about);
    if (number) numbers.push(number);
    await run.take(item);
  }
  return takenMessage(await run.finish({ format: 'hl7v2', received_at: receivedAt, warnings: [] }), read);
}

const takenMessage = (answer: IngestAnswer, read: Partial<ConnectorCounts>): TakenMessage => ({
  answer: answer.acknowledgement?.content ?? '',
  counts: { ...read, ...countsOf(answer) },
  trouble: troubleOf(answer),
});

const NOT_HL7 = {
  code: 'NOT_HL7',
  message: 'The frame does not contain an HL7 v2 message in single-byte or UTF-8 text: it does not begin with MSH.',
};

/** Stores bytes that are no message, opens an exception and answers AR. */
async function noMessage(
  deps: MessageDeps,
  connector: Owner,
  { raw_sha256, acknowledgements }: Pick<Message, 'raw_sha256' | 'acknowledgements'>,
  counts: Partial<ConnectorCounts>,
): Promise<TakenMessage> {
  const opened = await deps.openExceptions(connector.tenant_id, [unreadable(connector, raw_sha256, NOT_HL7)]);
  const acknowledger = deps.messageAdapter.acknowledger?.({ strict: false });
  acknowledger?.take({ kind: 'refused', index: 0, item: 'segments', ...NOT_HL7 });
  const controlNumber = String(await acknowledgements.take('hl7v2', 1));
  const answer = acknowledger?.finish({ nowIso: isoTime(deps.clock.nowMs()), controlNumber })?.text ?? '';
  return {
    answer,
    counts: { ...counts, exceptions: opened.length },
    trouble: { ...NOT_HL7, raw_sha256, byte_offset: 0 },
  };
}

/** Stores the bytes, opens an exception and answers with an application error (207). @throws if that fails too. */
async function refusePoison(deps: MessageDeps, connector: Owner, bytes: Buffer): Promise<TakenMessage> {
  const tenant = await deps.contexts.of(connector.tenant_id);
  const { hashes, recorded } = await storedMessages(deps, tenant, [bytes]);
  const [raw_sha256 = ''] = hashes;
  await recorded;
  const opened = await deps.openExceptions(connector.tenant_id, [unreadable(connector, raw_sha256, POISON)]);
  const acknowledger = deps.messageAdapter.acknowledger?.({ strict: false });
  const header = await headerOf(deps, bytes);
  acknowledger?.take({ kind: 'refused', index: 0, item: header ? 'message' : 'segments', ...POISON });
  if (header) acknowledger?.take(header);
  const controlNumber = String(await deps.acknowledgementNumbers(tenant.tenantId).take('hl7v2', 1));
  return {
    answer: acknowledger?.finish({ nowIso: isoTime(deps.clock.nowMs()), controlNumber })?.text ?? '',
    counts: { messages: 1, bytes: bytes.length, unreadable: 1, exceptions: opened.length },
    trouble: { ...POISON, raw_sha256, byte_offset: 0 },
  };
}

/** The header to answer to; null if it is unreadable. */
async function headerOf(deps: MessageDeps, bytes: Buffer): Promise<WrapperItem | null> {
  const receivedAt = isoTime(deps.clock.nowMs());
  try {
    const items = deps.messageAdapter.read(once(bytes), { strict: false, receivedAt, limits: deps.adapterLimits });
    for await (const item of items) if (item.kind === 'wrapper' && item.level === 'message') return item;
  } catch {
    // The answer has no address; the exception reports the failure.
  }
  return null;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
