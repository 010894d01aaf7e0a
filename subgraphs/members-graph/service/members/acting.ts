import type { RequestContext } from '../../../../shared/auth/context.js';

/** Who does it, and what told them. */
export interface Acting {
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
  readonly event_id: string | null;
}

export const actingOf = ({ principal, workId }: RequestContext): Acting => ({
  by: principal.keyId,
  actor_id: principal.actorId,
  work_id: workId,
  event_id: null,
});
