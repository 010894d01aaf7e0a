import { createHash } from 'node:crypto';
import { isoTime } from '../../shared/clock/clock.js';
import type { CustodyEntry, CustodySubject } from '../../shared/contracts/custody.js';
import { custodyActorOf } from '../../shared/custody/custody-entry.js';
import { Problem, problem } from '../../shared/errors/problem.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { JsonObject } from '../../shared/json/strict-json.js';
import { matchesEntityTag } from '../entity-tag.js';
import { Answer, type RouteCall } from '../route.js';
import { askedRange, type ByteRange } from './byte-range.js';
import { attachment } from './filename.js';
import { LentAnswer, StreamedAnswer } from './streamed-answer.js';

/** The part of Content that custody and exceptions name. */
export type AlarmedContent = Pick<Content, 'blobSha256' | 'custody'>;

/** Bytes of the write-once store, as the graph's row describes them. */
export interface Content {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  readonly filename: string;
  /** Further headers, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The blob that holds them. */
  readonly blobSha256: string;
  /** Reads verified blocks of a range within the content; each is valid until the next is read. */
  read(range: ByteRange): AsyncIterable<Buffer>;
  /** The custody entry that is recorded before the first byte is sent. */
  readonly custody: Pick<
    CustodyEntry,
    'action' | 'subject' | 'subjects' | 'member_ids' | 'purpose' | 'recipient' | 'detail'
  >;
  /** Runs before the custody of a 200 or 206; what it throws is the answer. */
  readonly claim?: () => Promise<void>;
}

/**
 * Answers 200, 206 or 304 for content. Custody is durable before the first byte of a 200 or 206 (design: no custody row, no
 * bytes). A damaged first block gives an error answer; a later one ends the connection before Content-Length.
 *
 * @throws RANGE_NOT_SATISFIABLE, INTEGRITY_FAILURE, UNAVAILABLE when custody cannot be recorded
 */
export async function contentAnswer(call: RouteCall, content: Content): Promise<Answer | StreamedAnswer> {
  const { sha256, sizeBytes, mediaType, filename } = content;
  const etag = `"${sha256}"`;
  if (matchesEntityTag(call.ifNoneMatch, etag)) return new Answer(304, undefined, { etag });
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'content-disposition': attachment(filename),
    'x-content-type-options': 'nosniff',
    ...content.headers,
  };
  const whole = { ...headers, 'content-length': String(sizeBytes) };
  // Range applies only to GET, and HEAD returns no bytes.
  if (call.isHead) return new StreamedAnswer(mediaType, [], { headers: whole });
  const asked = askedRange(call, etag, sizeBytes);
  if (asked.kind === 'outside') {
    throw problem('RANGE_NOT_SATISFIABLE', { headers: { 'content-range': `bytes */${sizeBytes}` } });
  }
  const range = asked.kind === 'part' ? asked : { start: 0, end: sizeBytes };
  const chunks = await recorded(call, content, range);
  if (asked.kind === 'whole') return new LentAnswer(mediaType, chunks, { headers: whole });
  const { start, end } = range;
  const partial = { 'content-length': String(end - start), 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` };
  return new LentAnswer(mediaType, chunks, { status: 206, headers: { ...headers, ...partial } });
}

/** Returns the blocks of a range after the first block is verified and the read is in custody. */
async function recorded(call: RouteCall, content: Content, range: ByteRange): Promise<AsyncIterable<Buffer>> {
  const isWhole = range.start === 0 && range.end === content.sizeBytes;
  // The store verifies whole blobs; only the hash of a part must be compared here.
  const isPart = content.sha256 !== content.blobSha256;
  const source = isWhole && isPart ? hashed(content.read(range), content.sha256) : content.read(range);
  const blocks = alarmed(call, content, source);
  // A damaged first block can still change the status.
  const first = await blocks.next();
  try {
    await content.claim?.();
    await record(call, content, isWhole ? null : range);
  } catch (error) {
    await blocks.return(undefined);
    throw error;
  }
  return resumed(first, blocks);
}

/** Puts the first block back before the others. Ends the source with its reader, even before the first block. */
export function resumed<T>(first: IteratorResult<T>, blocks: AsyncGenerator<T>): AsyncIterableIterator<T> {
  let held: IteratorResult<T> | null = first;
  const iterator: AsyncIterableIterator<T> = {
    next: async () => {
      const next = held ?? (await blocks.next());
      held = null;
      return next;
    },
    return: () => blocks.return(undefined),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/** Compares the hash of the whole before it yields the last chunk. It holds a chunk back, so chunks must not be lent. */
async function* hashed(chunks: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    if (held) yield held;
    hash.update(chunk);
    held = chunk;
  }
  if (hash.digest('hex') !== sha256) throw problem('INTEGRITY_FAILURE', { internal: 'content differs from its hash' });
  if (held) yield held;
}

/** Records damage in custody and opens an exception before the error is returned (evidence.md section 4). */
export async function* alarmed<T>(
  call: RouteCall,
  content: AlarmedContent,
  chunks: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* chunks;
  } catch (error) {
    const damage = damageOf(error);
    if (damage === null) throw error;
    await reportDamage(call, content, damage);
    throw problem('INTEGRITY_FAILURE', { cause: error, internal: 'content of the write-once store is damaged' });
  }
}

const damageOf = (error: unknown): 'WORM_MISMATCH' | 'WORM_MISSING' | null => {
  if (!(error instanceof Problem)) return null;
  // The range is within the content but not in the blob: the stored size differs.
  if (error.code === 'INTEGRITY_FAILURE' || error.code === 'RANGE_NOT_SATISFIABLE') return 'WORM_MISMATCH';
  return error.code === 'NOT_FOUND' ? 'WORM_MISSING' : null;
};

async function reportDamage(
  call: RouteCall,
  content: AlarmedContent,
  kind: 'WORM_MISMATCH' | 'WORM_MISSING',
): Promise<void> {
  const { custody, exceptions } = call.services;
  const { subject, member_ids = [] } = content.custody;
  const blob: CustodySubject = { kind: 'RAW', id: content.blobSha256 };
  const tenantId = tenantOf(call);
  await custody.record(tenantId, [
    { ...acting(call), action: 'INTEGRITY_FAILURE', subject, subjects: [blob], member_ids, detail: { found: kind } },
  ]);
  await exceptions.open(tenantId, {
    kind,
    subject: { kind: 'WORM_BLOB', id: content.blobSha256 },
    detail: { compared: 'the blocks of the content with their hashes', read_for: { ...subject } },
  });
}

async function record(call: RouteCall, content: Content, range: ByteRange | null): Promise<void> {
  const given = range === null ? {} : { range: [range.start, range.end - 1] };
  const { sha256, sizeBytes } = content;
  await recordReading(call, content, { sha256, size_bytes: sizeBytes, ...given });
}

/** Records a read in custody. @param about hashes, sizes and forms of the returned bytes. @throws UNAVAILABLE */
export async function recordReading(call: RouteCall, { custody }: AlarmedContent, about: JsonObject): Promise<void> {
  const { detail, ...entry } = custody;
  await call.services.custody.record(tenantOf(call), [{ ...acting(call), ...entry, detail: { ...detail, ...about } }]);
}

const acting = ({ context, services }: RouteCall): Pick<CustodyEntry, 'actor' | 'at' | 'request_id'> => ({
  actor: custodyActorOf(context),
  at: isoTime(services.clock.nowMs()),
  request_id: context.requestId,
});

function tenantOf({ tenant }: RouteCall): TenantId {
  if (!tenant) throw new Error('a content route has no tenant');
  return tenant.tenant_id;
}
