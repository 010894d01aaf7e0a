import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import { MATTER_MACHINE, MAX_STEPS, type MatterAction } from '../domain/legal-matter.js';
import type { MatterChange, MatterStore, MatterWrite, StoredMatter, TenantMatters } from './ports/matter-store.js';

export interface MatterDeps extends WorkDeps {
  readonly matters: MatterStore;
  readonly clock: Clock;
}

/** Writers who meet on one matter try again this often. */
const MAX_ATTEMPTS = 5;

type Changed = Partial<MatterWrite['matter']>;

export interface MatterStep {
  readonly matterId: string;
  readonly action: MatterAction;
  readonly link?: MatterChange['link'];
  /** The members that change at this time; null for a step that would change nothing, which is none. */
  readonly changes: (standing: StoredMatter, matters: TenantMatters, at: Date) => Promise<Changed | null>;
}

/**
 * One step of the state table: read, ask the table, write on the revision that was read.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION when it is closed, CONFLICT
 */
export async function stepMatter(
  deps: MatterDeps,
  context: RequestContext,
  { matterId, action, link = null, changes }: MatterStep,
): Promise<StoredMatter> {
  const matters = deps.matters(authorise(context, 'matters:write'));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('matter', matterId) ? await matters.get(matterId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    if (isDoneBy(context, standing, action)) return standing;
    const step = transition(MATTER_MACHINE, standing.status, action);
    const at = new Date(deps.clock.nowMs());
    const changed = await changes(standing, matters, at);
    if (changed === null) return standing;
    if (standing.history.length >= MAX_STEPS) {
      throw problem('CONFLICT', { message: `A legal matter takes ${MAX_STEPS} steps; open another one.` });
    }
    const { history: _, ...before } = standing;
    const matter = {
      ...before,
      ...changed,
      status: step.to,
      revision: standing.revision + 1,
      updated_at: at,
    };
    const write = matterWrite(deps, context, { standing, matter, action, link });
    const stored = await matters.replace(write, standing.revision);
    if (stored === null) continue;
    await matters.relay(write);
    return stored;
  }
  throw problem('CONFLICT', { message: 'The legal matter is being changed by others; read it and try again.' });
}

/** The same request, run again after its answer was lost. */
const isDoneBy = ({ workId }: RequestContext, { history }: StoredMatter, action: MatterAction): boolean =>
  workId !== null && history.some((entry) => entry.work_id === workId && entry.action === action);

interface Written {
  readonly standing: StoredMatter | null;
  readonly matter: MatterWrite['matter'];
  readonly action: MatterAction;
  readonly link: MatterChange['link'];
}

/** What is written for a step: the row, its line of history, its entry in `_records`. */
export function matterWrite(
  deps: MatterDeps,
  context: RequestContext,
  { standing, matter, action, link }: Written,
): MatterWrite {
  const step = transition(MATTER_MACHINE, standing?.status ?? null, action);
  const { keyId, actorId } = context.principal;
  const { ids } = forWork(deps, context, `${action}-matter-entries`);
  const pending = step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: matter.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'legal-matter',
        event_type: eventType,
        event_effective_timestamp: isoTime(matter.updated_at.getTime()),
        outcome: step.to,
        payload: {
          matter_id: matter.matter_id,
          kind: matter.kind,
          action,
          from: step.from,
          to: step.to,
          revision: matter.revision,
          by: keyId,
          ...(actorId === null ? {} : { actor_id: actorId }),
          // Who is in a case is personal: a member's link is told by its kind alone.
          ...(link === null ? {} : { link: link.kind, ...(link.kind === 'members' ? {} : { ref: link.ref }) }),
        },
      },
    }),
  );
  const change = {
    revision: matter.revision,
    action,
    from: step.from,
    to: step.to,
    link,
    at: matter.updated_at,
    by: keyId,
    actor_id: actorId,
    work_id: context.workId,
  };
  return { matter, change, pending };
}
