import { createHash } from 'node:crypto';
import type { BucketAnswer } from './fake-bucket.js';

/** A request, in the parts that decide the answer. */
export interface AskedObject {
  readonly method: string;
  readonly bucket: string;
  /** Empty for a request about the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Lock {
  mode: string | undefined;
  until: Date | undefined;
  isHeld: boolean;
}

/** One version of an object; a delete marker has no bytes. */
interface Version extends Lock {
  readonly id: string;
  readonly bytes: Buffer | null;
}

interface Upload {
  readonly lock: Lock;
  readonly parts: Map<number, Buffer>;
}

interface StoredBucket {
  readonly hasLock: boolean;
  /** Versions of each key, oldest first. */
  readonly objects: Map<string, Version[]>;
  readonly uploads: Map<string, Upload>;
}

/** The buckets of one server. */
export class FakeBuckets {
  readonly byName = new Map<string, StoredBucket>();
  #made = 0;

  nextId(): string {
    return `v${String(++this.#made).padStart(8, '0')}`;
  }
}

const PAGE_KEYS = 1000;

const xml = (root: string, inner: string): BucketAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><${root}>${inner}</${root}>`,
});

const refusal = (status: number, code: string): BucketAnswer => ({
  ...xml('Error', `<Code>${code}</Code><Message>${code}</Message>`),
  status,
});

const DENIED = refusal(403, 'AccessDenied');
const NO_KEY = refusal(404, 'NoSuchKey');
const DONE: BucketAnswer = { status: 200 };
const GONE: BucketAnswer = { status: 204 };

const textIn = (body: Buffer, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(body.toString())?.[1];

export function answerForBucket(buckets: FakeBuckets, asked: AskedObject): BucketAnswer {
  const { method, query, bucket: name } = asked;
  if (method === 'PUT') {
    const hasLock = asked.headers['x-amz-bucket-object-lock-enabled'] === 'true';
    buckets.byName.set(name, { hasLock, objects: new Map(), uploads: new Map() });
    return DONE;
  }
  const bucket = buckets.byName.get(name);
  if (bucket === undefined) return refusal(404, 'NoSuchBucket');
  if (method === 'POST' && query.has('delete')) return hideAll(buckets, bucket, asked.body);
  if (method !== 'GET') return refusal(501, 'NotImplemented');
  if (query.has('object-lock')) {
    if (!bucket.hasLock) return refusal(404, 'ObjectLockConfigurationNotFoundError');
    return xml('ObjectLockConfiguration', '<ObjectLockEnabled>Enabled</ObjectLockEnabled>');
  }
  return query.has('versions') ? versionsIn(bucket, query) : keysIn(bucket, query);
}

function hideAll(buckets: FakeBuckets, bucket: StoredBucket, body: Buffer): BucketAnswer {
  for (const [, key = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) hide(buckets, bucket, key);
  return xml('DeleteResult', '');
}

const unlocked = (): Lock => ({ mode: undefined, until: undefined, isHeld: false });

function hide(buckets: FakeBuckets, bucket: StoredBucket, key: string): void {
  bucket.objects.set(key, [...(bucket.objects.get(key) ?? []), { id: buckets.nextId(), bytes: null, ...unlocked() }]);
}

const keysUnder = (bucket: StoredBucket, query: URLSearchParams): string[] =>
  [...bucket.objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();

function keysIn(bucket: StoredBucket, query: URLSearchParams): BucketAnswer {
  const after = query.get('continuation-token') ?? '';
  const keys = keysUnder(bucket, query).filter((key) => key > after && bucket.objects.get(key)?.at(-1)?.bytes != null);
  const page = keys.slice(0, PAGE_KEYS);
  const more = keys.length > page.length;
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  return xml('ListBucketResult', `<IsTruncated>${more}</IsTruncated>${next}${contents}`);
}

function versionsIn(bucket: StoredBucket, query: URLSearchParams): BucketAnswer {
  const versions = keysUnder(bucket, query).flatMap((key) =>
    (bucket.objects.get(key) ?? []).map(({ id, bytes }) => {
      const element = bytes === null ? 'DeleteMarker' : 'Version';
      return `<${element}><Key>${key}</Key><VersionId>${id}</VersionId></${element}>`;
    }),
  );
  return xml('ListVersionsResult', `<IsTruncated>false</IsTruncated>${versions.join('')}`);
}

export function answerForObject(buckets: FakeBuckets, asked: AskedObject): BucketAnswer {
  const bucket = buckets.byName.get(asked.bucket);
  if (bucket === undefined) return refusal(404, 'NoSuchBucket');
  const { method, query } = asked;
  if (query.has('retention') || query.has('legal-hold')) return answerForLock(bucket, asked);
  if (query.has('uploads') || query.has('uploadId')) return answerForUpload(buckets, bucket, asked);
  if (method === 'PUT') return put(buckets, bucket, asked);
  if (method === 'DELETE') return remove(buckets, bucket, asked);
  return method === 'GET' || method === 'HEAD' ? read(bucket, asked) : refusal(501, 'NotImplemented');
}

/** The version that a request names, or the current one. A delete marker is no version. */
function versionOf(bucket: StoredBucket, { key, query }: AskedObject): Version | undefined {
  const versions = bucket.objects.get(key) ?? [];
  const id = query.get('versionId');
  const found = id === null ? versions.at(-1) : versions.find((version) => version.id === id);
  return found?.bytes == null ? undefined : found;
}

function lockIn({ headers }: AskedObject): Lock {
  const until = headers['x-amz-object-lock-retain-until-date'];
  return {
    mode: headers['x-amz-object-lock-mode'],
    until: until === undefined ? undefined : new Date(until),
    isHeld: headers['x-amz-object-lock-legal-hold'] === 'ON',
  };
}

const checksumOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64');

const hasOtherBytes = ({ headers, body }: AskedObject): boolean =>
  (headers['content-encoding'] ?? '').includes('aws-chunked') ||
  (headers['x-amz-checksum-sha256'] ?? checksumOf(body)) !== checksumOf(body);

function put(buckets: FakeBuckets, bucket: StoredBucket, asked: AskedObject): BucketAnswer {
  if (hasOtherBytes(asked)) return refusal(400, 'BadDigest');
  const lock = lockIn(asked);
  if (!bucket.hasLock && (lock.mode !== undefined || lock.isHeld)) return refusal(400, 'InvalidRequest');
  const versions = bucket.objects.get(asked.key) ?? [];
  if (asked.headers['if-none-match'] === '*' && versions.at(-1)?.bytes != null)
    return refusal(412, 'PreconditionFailed');
  return stored(buckets, bucket, asked.key, { bytes: asked.body, ...lock });
}

function stored(buckets: FakeBuckets, bucket: StoredBucket, key: string, version: Omit<Version, 'id'>): BucketAnswer {
  const id = buckets.nextId();
  bucket.objects.set(key, [...(bucket.objects.get(key) ?? []), { id, ...version }]);
  return { status: 200, headers: { 'x-amz-version-id': id, etag: '"etag"' } };
}

function answerForUpload(buckets: FakeBuckets, bucket: StoredBucket, asked: AskedObject): BucketAnswer {
  const { method, query, key, body } = asked;
  if (query.has('uploads')) {
    const id = buckets.nextId();
    bucket.uploads.set(id, { lock: lockIn(asked), parts: new Map() });
    return xml('InitiateMultipartUploadResult', `<Key>${key}</Key><UploadId>${id}</UploadId>`);
  }
  const id = query.get('uploadId') ?? '';
  const upload = bucket.uploads.get(id);
  if (upload === undefined) return refusal(404, 'NoSuchUpload');
  if (method === 'PUT') {
    if (hasOtherBytes(asked)) return refusal(400, 'BadDigest');
    upload.parts.set(Number(query.get('partNumber')), body);
    return { status: 200, headers: { etag: '"etag"', 'x-amz-checksum-sha256': checksumOf(body) } };
  }
  if (method === 'DELETE') {
    bucket.uploads.delete(id);
    return GONE;
  }
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number));
  const parts = named.map((number) => upload.parts.get(number));
  if (parts.some((part) => part === undefined)) return refusal(400, 'InvalidPart');
  bucket.uploads.delete(id);
  const bytes = Buffer.concat(parts.filter((part) => part !== undefined));
  const { headers = {} } = stored(buckets, bucket, key, { bytes, ...upload.lock });
  return { ...xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>"etag"</ETag>`), headers };
}

function read(bucket: StoredBucket, asked: AskedObject): BucketAnswer {
  const version = versionOf(bucket, asked);
  if (version?.bytes == null) return asked.method === 'HEAD' ? { status: 404 } : NO_KEY;
  const { bytes, id, mode, until, isHeld } = version;
  const headers: Record<string, string> = { 'x-amz-version-id': id, etag: '"etag"' };
  if (mode !== undefined) headers['x-amz-object-lock-mode'] = mode;
  if (until !== undefined) headers['x-amz-object-lock-retain-until-date'] = until.toISOString();
  headers['x-amz-object-lock-legal-hold'] = isHeld ? 'ON' : 'OFF';
  if (asked.method === 'HEAD') return { status: 200, headers: { ...headers, 'content-length': String(bytes.length) } };
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(asked.headers['range'] ?? '') ?? [];
  if (from === undefined || to === undefined) return { status: 200, headers, body: bytes };
  if (Number(from) >= bytes.length) return refusal(416, 'InvalidRange');
  const range = bytes.subarray(Number(from), Number(to) + 1);
  headers['content-range'] = `bytes ${from}-${Number(from) + range.length - 1}/${bytes.length}`;
  return { status: 206, headers, body: range };
}

const mayBypass = ({ headers }: AskedObject): boolean => headers['x-amz-bypass-governance-retention'] === 'true';

/** A hold keeps a version whatever the mode; the bypass lifts only a term of GOVERNANCE. */
function isKept({ isHeld, mode, until }: Version, asked: AskedObject): boolean {
  if (isHeld) return true;
  const isInTerm = until !== undefined && until.getTime() > Date.now();
  return isInTerm && !(mode === 'GOVERNANCE' && mayBypass(asked));
}

function remove(buckets: FakeBuckets, bucket: StoredBucket, asked: AskedObject): BucketAnswer {
  const id = asked.query.get('versionId');
  if (id === null) {
    hide(buckets, bucket, asked.key);
    return GONE;
  }
  const versions = bucket.objects.get(asked.key) ?? [];
  const version = versions.find((one) => one.id === id);
  if (version !== undefined && isKept(version, asked)) return DENIED;
  bucket.objects.set(
    asked.key,
    versions.filter((one) => one !== version),
  );
  return GONE;
}

function answerForLock(bucket: StoredBucket, asked: AskedObject): BucketAnswer {
  const version = versionOf(bucket, asked);
  if (version === undefined) return NO_KEY;
  return asked.query.has('legal-hold') ? answerForHold(version, asked) : answerForTerm(version, asked);
}

function answerForHold(version: Version, { method, body }: AskedObject): BucketAnswer {
  if (method === 'GET') return xml('LegalHold', `<Status>${version.isHeld ? 'ON' : 'OFF'}</Status>`);
  version.isHeld = textIn(body, 'Status') === 'ON';
  return DONE;
}

function answerForTerm(version: Version, asked: AskedObject): BucketAnswer {
  const { mode, until } = version;
  if (asked.method === 'GET') {
    return xml('Retention', `<Mode>${mode}</Mode><RetainUntilDate>${until?.toISOString()}</RetainUntilDate>`);
  }
  const next = new Date(textIn(asked.body, 'RetainUntilDate') ?? '');
  const isShorter = until !== undefined && next < until;
  if (isShorter && !(mode === 'GOVERNANCE' && mayBypass(asked))) return DENIED;
  version.mode = textIn(asked.body, 'Mode');
  version.until = next;
  return DONE;
}
