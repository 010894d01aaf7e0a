import type { MasterKey } from '../../../shared/crypto/master-key.js';
import type { Randomness } from '../../../shared/ids/ids.js';
import type { FormerSecret, WebhookRecord } from './ports/webhook-store.js';

const SECRET_BYTES = 32;
/** As the Standard Webhooks convention writes secrets; what follows is base64. */
const SECRET_PREFIX = 'whsec_';

/** Specification "Secret rotation": the previous secret stays valid for 15 minutes. */
export const SECRET_OVERLAP_MS = 15 * 60 * 1000;
/** Former secrets that may be valid at one time: each is one more signature on every delivery. */
export const MOST_FORMER_SECRETS = 3;

export const makeSecret = (randomness: Randomness): string =>
  SECRET_PREFIX + Buffer.from(randomness.fill(new Uint8Array(SECRET_BYTES))).toString('base64');

export interface SecretDeps {
  readonly masterKey: MasterKey;
  /** The ordinary one, whatever a repeated request makes repeatable: one nonce must not seal two secrets. */
  readonly randomness: Randomness;
}

type Place = Pick<WebhookRecord, 'tenant_id' | 'webhook_id'>;

/** A secret is bound to its subscription: wrapped for another one, it does not open. */
const placeOf = ({ tenant_id, webhook_id }: Place): string => `webhook:${tenant_id}:${webhook_id}`;

export const wrapSecret = ({ masterKey, randomness }: SecretDeps, place: Place, secret: string): string =>
  masterKey.wrap(Buffer.from(secret), placeOf(place), randomness).toString('base64');

export const unwrapSecret = (masterKey: MasterKey, place: Place, wrapped: string): string =>
  masterKey.unwrap(Buffer.from(wrapped, 'base64'), placeOf(place)).toString('utf8');

/** Those that still sign at this time. */
export const liveSecrets = (former: readonly FormerSecret[], atMs: number): readonly FormerSecret[] =>
  former.filter(({ until }) => until.getTime() > atMs);
