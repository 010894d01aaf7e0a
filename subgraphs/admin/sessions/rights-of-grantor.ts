import type { Principal } from '../../../shared/auth/context.js';
import type { Grantor } from '../../../shared/contracts/tenants.js';
import { holderOf } from './check-session.js';
import type { SessionDeps } from './sessions.js';

/**
 * The present rights of the key, or of the person of the session, behind an earlier act. The end of the session does not end
 * them: its row names the roles of the person's sign-in and stays for 30 days, as long as any grant lasts.
 *
 * @returns null without rights: a revoked or expired key, a suspended actor, an unknown session
 */
export async function rightsOfGrantor(
  { sessions, check, clock }: Pick<SessionDeps, 'sessions' | 'check' | 'clock'>,
  { key_id, session_id }: Grantor,
): Promise<Principal | null> {
  const session = session_id === null ? null : await sessions.byId(session_id);
  if (session === undefined || (session !== null && session.key_id !== key_id)) return null;
  const holder = session === null ? await check.knownById(key_id) : await holderOf(check, session);
  return holder?.isLiveAt(clock.nowMs()) ? holder.principal : null;
}
