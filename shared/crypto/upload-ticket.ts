import { timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from './hash.js';
import type { MasterKey } from './master-key.js';

/** Stored bytes as the process that stored them knows them. */
interface UploadedContent {
  readonly sha256: string;
  readonly size: number;
}

const macOf = (masterKey: MasterKey, tenantId: string, { sha256, size }: UploadedContent): Buffer =>
  hmacSha256(masterKey.derive('upload-ticket'), JSON.stringify([tenantId, sha256, size]));

/**
 * What the facade hands on with an upload. Naming a hash is not having the bytes: without a ticket, who knows the hash of
 * stored content (of a raw message, say) could make a document of it and read what they may not.
 */
export const uploadTicket = (masterKey: MasterKey, tenantId: string, content: UploadedContent): string =>
  macOf(masterKey, tenantId, content).toString('hex');

export function isUploadTicket(
  masterKey: MasterKey,
  tenantId: string,
  content: UploadedContent,
  ticket: string,
): boolean {
  const given = Buffer.from(ticket, 'hex');
  const right = macOf(masterKey, tenantId, content);
  return given.length === right.length && timingSafeEqual(given, right);
}
