import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { HeldScope } from '../../../shared/auth/scopes.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect } from '../../../shared/outbox/pending-effect.js';
import { transition } from '../../../shared/state-machine/state-machine.js';
import {
  REDACTION_MACHINE,
  type RedactionAction,
  type RedactionSubject,
  type RedactionTarget,
} from '../domain/redaction.js';
import { type JudgeDeps, judgeTarget } from './judge-redaction.js';
import type { RedactionStore, RedactionWrite, StoredRedaction } from './ports/redaction-store.js';
import type { VaultEffect } from './ports/vault-effects.js';

export interface RedactionDeps extends WorkDeps, JudgeDeps {
  readonly redactions: RedactionStore;
  readonly clock: Clock;
}

/** Writers who meet on one redaction try again this often. */
const MAX_ATTEMPTS = 5;

/** Whoever acts, as two people are told apart: the key's actor where it has one, else the key. */
export const personOf = ({ principal: { actorId, keyId } }: RequestContext): string => actorId ?? keyId;

export interface RedactionInput extends RedactionTarget {
  readonly subject: RedactionSubject;
  readonly reason: string;
  readonly basis: string;
}

/** Makes a draft; hides nothing yet. @throws what judgeTarget throws */
export async function draftRedaction(
  deps: RedactionDeps,
  context: RequestContext,
  input: RedactionInput,
): Promise<StoredRedaction> {
  const tenantId = authorise(context, 'redactions:write');
  const redactions = deps.redactions(tenantId);
  const redactionId = forWork(deps, context, 'draft-redaction').ids.next('redaction');
  await judgeTarget(deps, tenantId, input.subject, input);
  const at = new Date(deps.clock.nowMs());
  const redaction: RedactionWrite['redaction'] = {
    ...input,
    redaction_id: redactionId,
    tenant_id: tenantId,
    status: 'DRAFT',
    drafted_by: personOf(context),
    applied_by: null,
    applied_at: null,
    rendition_sha256: null,
    rendition_size: null,
    original_sha256: null,
    revision: 1,
    created_at: at,
    created_by: context.principal.keyId,
    updated_at: at,
  };
  const write = redactionWrite(deps, context, null, redaction, 'draft');
  const stored = await redactions.insert(write);
  if (stored !== null) await redactions.relay(write);
  // The identifier is taken only when this very request has run before: what it made is the answer.
  const standing = stored ?? (await redactions.get(redactionId));
  if (standing === null) throw new Error('a fresh redaction collided with one of another tenant');
  return standing;
}

export type RedactionMembers = Partial<RedactionTarget & Pick<StoredRedaction, 'reason' | 'basis'>>;

/** Changes a draft. @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT, and what judgeTarget throws */
export const updateRedaction = (
  deps: RedactionDeps,
  context: RequestContext,
  { redactionId, members, revision }: { redactionId: string; members: RedactionMembers; revision?: number | undefined },
): Promise<StoredRedaction> =>
  changeRedaction(deps, context, { redactionId, action: 'update', scope: 'redactions:write' }, async (standing) => {
    if (revision !== undefined && standing.revision !== revision) {
      throw problem('CONFLICT', { message: 'The redaction is at another revision than the one named.' });
    }
    await judgeTarget(deps, standing.tenant_id, standing.subject, { ...standing, ...members });
    return { members };
  });

/** Gives a draft up; it stays as a record. @throws NOT_FOUND, INVALID_TRANSITION */
export const discardRedaction = (
  deps: RedactionDeps,
  context: RequestContext,
  redactionId: string,
): Promise<StoredRedaction> =>
  changeRedaction(deps, context, { redactionId, action: 'discard', scope: 'redactions:write' }, async () => ({
    members: {},
  }));

export interface RedactionStep {
  readonly redactionId: string;
  readonly action: RedactionAction;
  readonly scope: HeldScope;
}

export interface RedactionChanges {
  readonly members: Partial<RedactionWrite['redaction']>;
  /** What follows from the step; before the entries that the state table names. */
  readonly effects?: (at: Date) => readonly VaultEffect[];
}

type Changes = (standing: StoredRedaction, at: Date, tenantId: TenantId) => Promise<RedactionChanges>;

/** One step of the state table: read, ask the table, write on the revision that was read. */
export async function changeRedaction(
  deps: Omit<RedactionDeps, keyof JudgeDeps>,
  context: RequestContext,
  { redactionId, action, scope }: RedactionStep,
  changes: Changes,
): Promise<StoredRedaction> {
  const tenantId = authorise(context, scope);
  const redactions = deps.redactions(tenantId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = isIdOf('redaction', redactionId) ? await redactions.get(redactionId) : null;
    if (standing === null) throw problem('NOT_FOUND');
    if (isDoneBy(context, standing, action)) return standing;
    const step = transition(REDACTION_MACHINE, standing.status, action);
    const { history: _, ...before } = standing;
    const at = new Date(deps.clock.nowMs());
    const { members, effects } = await changes(standing, at, tenantId);
    const after = { ...before, ...members, status: step.to, revision: standing.revision + 1, updated_at: at };
    const write = redactionWrite(deps, context, standing, after, action, effects?.(at));
    const stored = await redactions.replace(write, standing.revision);
    if (stored === null) continue;
    await redactions.relay(write);
    return stored;
  }
  throw problem('CONFLICT', { message: 'The redaction is being changed by others; read it and try again.' });
}

/** The same request, run again after its answer was lost. */
const isDoneBy = ({ workId }: RequestContext, { history }: StoredRedaction, action: RedactionAction): boolean =>
  workId !== null && history.some((entry) => entry.work_id === workId && entry.action === action);

/** Neither pointers nor terms nor the reason: an entry is kept for good, and shown to whoever may read the ledger. */
export const redactionPayload = ({
  redaction_id,
  subject,
  revision,
}: Pick<StoredRedaction, 'redaction_id' | 'subject' | 'revision'>) => ({
  redaction_id,
  subject_kind: subject.kind,
  subject_id: subject.id,
  revision,
});

function redactionWrite(
  deps: WorkDeps,
  context: RequestContext,
  standing: StoredRedaction | null,
  redaction: RedactionWrite['redaction'],
  action: RedactionAction,
  effects: readonly VaultEffect[] = [],
): RedactionWrite {
  const step = transition(REDACTION_MACHINE, standing?.status ?? null, action);
  const { keyId, actorId } = context.principal;
  const { ids } = forWork(deps, context, `${action}-redaction-entries`);
  const entries = step.emits.map((eventType) =>
    ledgerEntryEffect(ids, {
      tenant_id: redaction.tenant_id,
      source_system: '_records',
      entry: {
        event_family: 'redaction',
        event_type: eventType,
        event_effective_timestamp: isoTime(redaction.updated_at.getTime()),
        outcome: step.to,
        payload: {
          ...redactionPayload(redaction),
          action,
          from: step.from,
          to: step.to,
          by: keyId,
          ...(actorId === null ? {} : { actor_id: actorId }),
        },
      },
    }),
  );
  return {
    redaction,
    change: {
      revision: redaction.revision,
      action,
      from: step.from,
      to: step.to,
      at: redaction.updated_at,
      by: keyId,
      actor_id: actorId,
      work_id: context.workId,
    },
    pending: [...effects, ...entries],
  };
}
