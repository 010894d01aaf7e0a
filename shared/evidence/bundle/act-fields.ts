// Fields of an act's record that a bundle discloses. Every other field may name records or persons outside the bundle.

const SHOWN: ReadonlySet<string> = new Set([
  '/event_id',
  '/event_type',
  '/event_family',
  '/tenant_id',
  '/source_system',
  '/source_record_id',
  '/event_effective_timestamp',
  '/received_at',
  '/outcome',
  '/payload/fact',
  '/payload/recorded',
  '/payload/subject/kind',
  '/payload/subject/id',
  '/payload/action',
  '/payload/actor/type',
  '/payload/actor/id',
  '/payload/actor/key_id',
  '/payload/purpose',
  '/payload/recipient',
  '/payload/previous',
  '/payload/sha256_before',
  '/payload/sha256_after',
  '/payload/disposal_id',
  '/payload/content_digest',
  '/payload/manifest_sha256',
]);

/** Fields of `state` by the kind of the subject. A list of them is disclosed whole. */
const SHOWN_STATE: Readonly<Record<string, readonly string[]>> = {
  document: ['status', 'revision', 'sha256', 'size', 'media_type'],
  'document-redaction': ['ordinal', 'rendition/redaction_id', 'rendition/sha256', 'rendition/size'],
  'event-redaction': ['ordinal', 'redaction_id'],
  disposal: ['disposal_id', 'at'],
  hold: ['status', 'revision', 'name'],
  matter: ['status', 'revision'],
  member: ['merged_into', 'merged_from'],
  bundle: ['status', 'revision', 'bundle_type', 'scope', 'profile'],
};

/** Hashes of content that the bundle hides: a hash without salt could be guessed from. */
const ORIGINAL_HASHES: ReadonlySet<string> = new Set([
  '/payload/sha256_before',
  '/payload/sha256_after',
  '/payload/state/sha256',
  '/payload/state/size',
]);

/**
 * Returns a test of pointers.
 *
 * @param kind kind of the subject of a fact
 * @param hidesOriginal the subject is a document whose original the bundle does not show
 */
export function shownFields(kind: string | null, hidesOriginal: boolean): (pointer: string) => boolean {
  const states = (kind === null ? [] : (SHOWN_STATE[kind] ?? [])).map((name) => `/payload/state/${name}`);
  const isState = (pointer: string): boolean =>
    states.some((shown) => pointer === shown || pointer.startsWith(`${shown}/`));
  return (pointer) => (SHOWN.has(pointer) || isState(pointer)) && !(hidesOriginal && ORIGINAL_HASHES.has(pointer));
}
