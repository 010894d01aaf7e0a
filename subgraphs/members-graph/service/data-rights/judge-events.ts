import type { RequestContext } from '../../../../shared/auth/context.js';
import { type FieldFault, fault, problem } from '../../../../shared/errors/problem.js';
import { isIdOf } from '../../../../shared/ids/ids.js';
import type { StoredDataRight } from '../ports/data-right-store.js';
import { personOf } from '../records/person-of.js';
import type { DataRightDeps } from './data-right-deps.js';

/**
 * Events that an amendment names: there, the member's, and still readable. One of another tenant is one that is not there.
 *
 * @param named pointers into the body, and the events named there. @throws VALIDATION_ERROR
 */
export async function amendingEvents(
  deps: Pick<DataRightDeps, 'eventReads' | 'directory'>,
  { principal }: RequestContext,
  { tenant_id, member_id }: StoredDataRight,
  named: readonly (readonly [path: string, eventIds: readonly string[]])[],
): Promise<void> {
  const person = new Set(await personOf(deps.directory, tenant_id, member_id));
  const sight = { unredacted: principal.scopes.has('documents:unredacted') };
  const faults: FieldFault[] = [];
  for (const [path, eventIds] of named) {
    for (const eventId of eventIds) {
      const event = isIdOf('event', eventId) ? await deps.eventReads.byId(tenant_id, eventId, sight) : null;
      if (event === null || event.member_id === null || !person.has(event.member_id)) {
        faults.push(fault(path, 'unknown', 'The member has no such event.'));
      }
    }
  }
  if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
}
