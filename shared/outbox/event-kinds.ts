import { keysOf } from '../json/keys.js';
import type { JsonObject } from '../json/strict-json.js';

// The catalogue of platform events (specification "Event kinds", api.md section 7). It lists each kind once: its area,
// its source, and the content of `data`. Bodies are thin: ids, hashes and times, never a member or a plain hash of
// personal data; a receiver that wants more calls the API with a key.

/** Ledger-borne kinds are read off the ledger by cursor; the others travel in the change's own `pending[]`. */
type RaisedFrom = 'ledger' | 'change';

declare const valueType: unique symbol;

/** JSON Schema of one member; `T` is what the member holds, known to the compiler alone. */
type MemberSchema<T> = JsonObject & { readonly [valueType]?: T };

/** What `data` holds under these schemas. */
type ValuesOf<D> = { readonly [M in keyof D]: D[M] extends MemberSchema<infer T> ? T : never };

interface EventKind {
  readonly area: string;
  readonly raisedFrom: RaisedFrom;
  readonly description: string;
  /** Members of `data`; each is required. */
  readonly data: Readonly<Record<string, MemberSchema<unknown>>>;
  readonly example: JsonObject;
}

const id = (description: string): MemberSchema<string> => ({ type: 'string', description });
const ids = (description: string): MemberSchema<readonly string[]> => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
const time = (description: string): MemberSchema<string> => ({ type: 'string', format: 'date-time', description });
const count = (description: string): MemberSchema<number> => ({ type: 'integer', minimum: 0, description });
const sha256 = (description: string): MemberSchema<string> => ({
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description,
});
const word = <W extends string>(description: string, ...words: W[]): MemberSchema<W> => ({
  type: 'string',
  enum: words,
  description,
});

const HASH = 'a3'.repeat(32);
const EVENT_ID = 'evt_01JQ0000000000000000000001';
const AT = '2026-03-02T14:11:10.000Z';

/** A kind that travels in the change's own `pending[]`. */
interface ChangeKind<D extends EventKind['data']> extends EventKind {
  readonly raisedFrom: 'change';
  readonly data: D;
}

const change = <D extends EventKind['data']>(
  area: string,
  description: string,
  data: D,
  example: ValuesOf<D> & JsonObject,
): ChangeKind<D> => ({ area, raisedFrom: 'change', description, data, example });

const DOCUMENT = { document_id: id('The document.'), at: time('When.') };
const BUNDLE = {
  bundle_id: id('The bundle.'),
  bundle_type: word('What it gathers.', 'MEMBER', 'MATTER', 'INCIDENT'),
};
const RULE = {
  rule_id: id('The rule.'),
  key: id('Its key.'),
  revision: count('The revision that is new.'),
  artifact_sha256: sha256('Hash of the artifact as it was stored.'),
};
const HOLD = { hold_id: id('The hold.'), at: time('When.') };

export const EVENT_KINDS = {
  'event.ingested': {
    area: 'ledger',
    raisedFrom: 'ledger',
    description: 'An event was appended to the ledger.',
    data: {
      event_id: id('The event.'),
      source_system: id('Its source system.'),
      sequence: count('Its place in the chain of its source system.'),
      entry_hash: sha256('Its link in the chain.'),
      recorded_at: time('When it was recorded.'),
    },
    example: { event_id: EVENT_ID, source_system: 'um-core', sequence: 42, entry_hash: HASH, recorded_at: AT },
  },
  'event.duplicated': change(
    'ledger',
    'A request repeated events that the ledger holds already; nothing was appended.',
    { event_ids: ids('The events held already.') },
    { event_ids: [EVENT_ID] },
  ),
  'document.ingested': change(
    'documents',
    'A document was stored.',
    { ...DOCUMENT, sha256: sha256('Its content.') },
    {
      document_id: 'doc_01JQ0000000000000000000001',
      at: AT,
      sha256: HASH,
    },
  ),
  'document.quarantined': change('documents', 'The scan flagged a document; reads of it are blocked.', DOCUMENT, {
    document_id: 'doc_01JQ0000000000000000000001',
    at: AT,
  }),
  'bundle.requested': change('bundles', 'A bundle was asked for.', BUNDLE, {
    bundle_id: 'bdl_01JQ0000000000000000000001',
    bundle_type: 'MEMBER',
  }),
  'bundle.sealed': change(
    'bundles',
    'A bundle is sealed and can be downloaded.',
    { ...BUNDLE, worm_blob_sha256: sha256('The sealed ZIP.'), sealed_at: time('When.') },
    {
      bundle_id: 'bdl_01JQ0000000000000000000001',
      bundle_type: 'MEMBER',
      worm_blob_sha256: HASH,
      sealed_at: AT,
    },
  ),
  'bundle.failed': change(
    'bundles',
    'A bundle could not be built.',
    { ...BUNDLE, code: id('Why.') },
    {
      bundle_id: 'bdl_01JQ0000000000000000000001',
      bundle_type: 'MEMBER',
      code: 'INTEGRITY_FAILURE',
    },
  ),
  'rule.created': change('rules', 'A rule was added.', RULE, {
    rule_id: 'rul_01JQ0000000000000000000001',
    key: 'mri-knee',
    revision: 1,
    artifact_sha256: HASH,
  }),
  'rule.updated': change('rules', 'A rule has a new revision.', RULE, {
    rule_id: 'rul_01JQ0000000000000000000001',
    key: 'mri-knee',
    revision: 2,
    artifact_sha256: HASH,
  }),
  'exception.opened': change(
    'exceptions',
    'Something needs an operator.',
    {
      exception_id: id('The exception.'),
      kind: id('What it is about.'),
      severity: word('How pressing.', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
    },
    { exception_id: 'exc_01JQ0000000000000000000001', kind: 'PARSE_FAILED', severity: 'MEDIUM' },
  ),
  'exception.resolved': change(
    'exceptions',
    'An exception was resolved.',
    { exception_id: id('The exception.'), kind: id('What it was about.') },
    { exception_id: 'exc_01JQ0000000000000000000001', kind: 'PARSE_FAILED' },
  ),
  'legal-hold.created': change('legal holds', 'A legal hold is in force.', HOLD, {
    hold_id: 'hld_01JQ0000000000000000000001',
    at: AT,
  }),
  'legal-hold.released': change('legal holds', 'A legal hold was released under an authority.', HOLD, {
    hold_id: 'hld_01JQ0000000000000000000001',
    at: AT,
  }),
  'advocacy.verdict': change(
    'advocacy',
    'A guideline check or a recoding gave a new answer.',
    {
      event_id: id('The event judged.'),
      verdict: word(
        'The answer.',
        'SUPPORTS',
        'DOES_NOT_SUPPORT',
        'INSUFFICIENT_INFORMATION',
        'NO_GUIDELINE',
        'RECODED',
      ),
      answer_sha256: sha256('Hash of the whole answer.'),
    },
    { event_id: EVENT_ID, verdict: 'SUPPORTS', answer_sha256: HASH },
  ),
  'checkpoint.published': change(
    'ledger',
    'A signed checkpoint of the ledger is out.',
    {
      checkpoint_id: id('The checkpoint.'),
      tree_size: count('Entries that it covers.'),
      root_hash: sha256('Its root.'),
    },
    { checkpoint_id: 'chk_01JQ0000000000000000000001', tree_size: 128, root_hash: HASH },
  ),
} as const satisfies Record<string, EventKind>;

export type EventKindName = keyof typeof EVENT_KINDS;

/** Kinds that a change raises by a pending effect; the others are read off the ledger. */
export type ChangeKindName = {
  [K in EventKindName]: (typeof EVENT_KINDS)[K]['raisedFrom'] extends 'change' ? K : never;
}[EventKindName];

/** Members of a kind's `data`: a missing or a wrong one does not compile. */
export type EventDataOf<K extends EventKindName> = ValuesOf<(typeof EVENT_KINDS)[K]['data']>;

export const EVENT_KIND_NAMES = keysOf(EVENT_KINDS);

/** JSON Schema of a delivery's body (api.md section 7 "Body"). */
export function bodySchemaOf(kind: EventKindName): JsonObject {
  const { data, description } = EVENT_KINDS[kind];
  return {
    type: 'object',
    description,
    properties: {
      id: { type: 'string', pattern: '^msg_', description: 'The same on every attempt; equals the header webhook-id.' },
      type: { type: 'string', enum: [kind], description: 'The event kind.' },
      tenant_id: { type: 'string', description: 'The tenant it belongs to.' },
      created_at: { type: 'string', format: 'date-time', description: 'When it happened.' },
      data: { type: 'object', properties: { ...data }, required: Object.keys(data) },
    },
    required: ['id', 'type', 'tenant_id', 'created_at', 'data'],
  };
}

export const bodyExampleOf = (kind: EventKindName): JsonObject => ({
  id: 'msg_01JQ0000000000000000000001',
  type: kind,
  tenant_id: 'acme',
  created_at: AT,
  data: EVENT_KINDS[kind].example,
});
