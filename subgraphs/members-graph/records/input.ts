import type { MemberDirectory } from '../../../shared/contracts/members.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { instantOf } from '../../../shared/time/rfc3339.js';

// Parses the input that records about members share. Every parser throws VALIDATION_ERROR with the path of the member.

export function parseTime(path: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const atMs = instantOf(text);
  if (atMs !== undefined) return new Date(atMs);
  throw problem('VALIDATION_ERROR', { errors: [fault(path, 'format', 'Must be an RFC 3339 time with a zone.')] });
}

export function requireOrder(path: string, start: Date | null, end: Date | null): void {
  if (start === null || end === null || start < end) return;
  throw problem('VALIDATION_ERROR', { errors: [fault(path, 'period', 'Must be after the start.')] });
}

/** Parses `start` and `end` of a period; null means open. */
export function parsePeriod(given: { readonly start?: string; readonly end?: string } = {}) {
  const start = parseTime('/period/start', given.start);
  const end = parseTime('/period/end', given.end);
  requireOrder('/period/end', start, end);
  return { start, end };
}

export function parseWord<T extends string>(name: string, words: readonly T[], given: string): T {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  throw problem('VALIDATION_ERROR', { errors: [fault(`/${name}`, 'enum', `Must be one of ${words.join(', ')}.`)] });
}

/** Returns every identifier of a person, the survivor first; for an unknown member the given one. */
export async function idsOfPerson(directory: MemberDirectory, tenantId: TenantId, memberId: string): Promise<string[]> {
  const identity = await directory.identityOf(tenantId, memberId);
  return identity === null ? [memberId] : [...new Set([...identity.member_ids, memberId])];
}
