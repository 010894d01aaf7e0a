import { isUlid } from '../ids/ids.js';

/** The owner of the key: keys of two tenants, or of two API keys, never collide (api.md section 1). */
export interface ClaimId {
  /** `*` where the request is about no tenant. */
  readonly tenant_id: string;
  readonly key_id: string;
  readonly key: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A ULID or a UUID, each in its usual case; null for anything else. */
export function readIdempotencyKey(text: string): string | null {
  const ulid = text.toUpperCase();
  if (isUlid(ulid)) return ulid;
  const uuid = text.toLowerCase();
  return UUID.test(uuid) ? uuid : null;
}

/** One text for one id: keys the flights of this process and binds sealed answers to their place. */
export const claimName = ({ tenant_id, key_id, key }: ClaimId): string => JSON.stringify([tenant_id, key_id, key]);
