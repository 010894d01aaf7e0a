import type { PersonSignIn } from '../../../shared/contracts/tenants.js';
import type { ActorStore } from '../access/index.js';
import type { Tenants } from '../tenants/index.js';
import { holderOf } from './check-session.js';
import { insertSession, type SessionDeps } from './sessions.js';

export interface PersonSessionDeps extends SessionDeps {
  readonly actors: Pick<ActorStore, 'ofPerson'>;
  readonly tenants: Pick<Tenants, 'summary'>;
}

/**
 * Opens a session for a person whom the sign-in provider has named. The person must be exactly one active actor of the
 * tenant, bound to the subject, or to the verified e-mail address if no actor has the subject.
 *
 * @returns the token; null if no active actor, or more than one, is that person.
 */
export async function openPersonSession(
  deps: PersonSessionDeps,
  { tenant_id, subject, email, role_ids, address }: PersonSignIn,
): Promise<string | null> {
  const tenant = await deps.tenants.summary(tenant_id);
  if (tenant?.status !== 'ACTIVE') return null;
  const [actor, ...others] = await deps.actors.ofPerson(tenant.tenant_id, { subject, email });
  if (actor === undefined || others.length > 0) return null;
  const person = { tenant_id: tenant.tenant_id, key_id: actor.actor_id, person: { role_ids } };
  const principal = (await holderOf(deps.check, person))?.principal;
  if (!principal) return null;
  const { token } = await insertSession(deps, { principal }, { ...person, address });
  return token;
}
