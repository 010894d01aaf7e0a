import { createHash } from 'node:crypto';
import { canonicalJson } from '../../json/canonical.js';
import type { ManifestDocument, ManifestEvent, ManifestScope } from './manifest.js';

type DigestedEvent = Pick<ManifestEvent, 'event_id' | 'sha256' | 'state'>;
type DigestedDocument = Pick<ManifestDocument, 'sha256' | 'state'>;

/** An event as the digest takes it; several are joined by commas. */
export const digestedEventText = ({ event_id, sha256, state }: DigestedEvent): string =>
  canonicalJson({ event_id, sha256, state });

/**
 * content_digest = D("content", JCS({scope, events[{event_id,sha256,state}], documents[{sha256,state}]})): equal exactly
 * when the content is. Fed piece by piece, as a million events need not be one string; JCS puts `documents` first.
 */
export class ContentDigest {
  readonly #hash = createHash('sha256').update('eas:content:v1\0');
  readonly #scope: ManifestScope;

  constructor(scope: ManifestScope, documents: readonly DigestedDocument[]) {
    this.#scope = scope;
    const texts = documents.map(({ sha256, state }) => canonicalJson({ sha256, state }));
    this.#hash.update(`{"documents":[${texts.join(',')}],"events":[`);
  }

  /** A part of the events' texts, in order, commas included. */
  update(part: string | Uint8Array): void {
    this.#hash.update(part);
  }

  hex(): string {
    const scope = canonicalJson({ ...this.#scope, member_ids: [...this.#scope.member_ids] });
    return this.#hash.update(`],"scope":${scope}}`).digest('hex');
  }
}
