import type { CustodySubject, CustodySubjectKind } from '../../../shared/contracts/custody.js';
import type { Documents } from '../../../shared/contracts/documents.js';
import type { TiedKind, TiedRecords } from '../../../shared/contracts/record-ties.js';
import { fault, problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { TenantContext } from '../append/index.js';

export interface KnownSubjectsDeps {
  readonly documents: Pick<Documents, 'list'>;
  readonly tiedRecords: TiedRecords;
}

const TIED: Partial<Record<CustodySubjectKind, TiedKind>> = { BUNDLE: 'bundle', HOLD: 'hold' };

/**
 * Rejects an act on an event, document, bundle or hold that the tenant does not have. Members and raw messages are names of
 * the outside.
 *
 * @throws VALIDATION_ERROR with the path of each unknown subject
 */
export async function requireKnownSubjects(
  deps: KnownSubjectsDeps,
  tenant: TenantContext,
  subjects: readonly CustodySubject[],
): Promise<void> {
  const known = await Promise.all(subjects.map((subject) => isKnown(deps, tenant, subject)));
  const errors = subjects.flatMap(({ kind }, i) => {
    if (known[i]) return [];
    const path = i === 0 ? '/subject/id' : `/subjects/${i - 1}/id`;
    const message = `No ${kind.toLowerCase()} has this identifier. Correct it, or send allow_unknown: true.`;
    return [fault(path, 'unknown', message)];
  });
  if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
}

async function isKnown(
  { documents, tiedRecords }: KnownSubjectsDeps,
  tenant: TenantContext,
  { kind, id }: CustodySubject,
): Promise<boolean> {
  // The context was made for this tenant.
  const tenantId = tenant.tenantId as TenantId;
  if (kind === 'EVENT') return isIdOf('event', id) && (await tenant.ledger.byEventId(id)) !== null;
  if (kind === 'DOCUMENT') {
    return isIdOf('document', id) && (await documents.list(tenantId, { documentIds: [id] }, null, 1)).items.length > 0;
  }
  const tied = TIED[kind];
  return tied === undefined || (isIdOf(tied, id) && (await tiedRecords.of(tenantId, tied, [id])).length > 0);
}
