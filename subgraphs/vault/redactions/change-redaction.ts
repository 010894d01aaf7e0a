import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import type { HeldScope } from '../../../shared/auth/scopes.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { Page } from '../../../shared/pagination/cursor.js';
import type { ListQuery } from '../../../shared/records/records.js';
import { type RecordKind, type StepDeps, stepsOf } from '../../../shared/records/steps.js';
import type { VaultEffect } from '../documents/index.js';
import { checkTarget, type TargetDeps } from './check-target.js';
import { REDACTION_MACHINE, type RedactionSubject } from './domain.js';
import type { RedactionStore, StoredRedaction, SubjectFilter } from './ports.js';
import type { RedactionMembers } from './schema.js';

export interface RedactionDeps extends StepDeps, TargetDeps {
  readonly redactions: RedactionStore;
}

/** Identifies a person: by the actor of the key if it has one, else by the key. */
export const personOf = ({ principal: { actorId, keyId } }: RequestContext): string => actorId ?? keyId;

/** Leaves out pointers, terms and reason: entries stay for good, and every reader of the ledger sees them. */
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

const REDACTION: RecordKind<StoredRedaction, 'redaction_id', VaultEffect> = {
  machine: REDACTION_MACHINE,
  idKind: 'redaction',
  id: 'redaction_id',
  noun: 'redaction',
  family: 'redaction',
  payload: (after, step) => ({ ...redactionPayload(after), ...step }),
  facts: true,
  reason: ({ reason }) => reason,
};

export const redactionSteps = (deps: RedactionDeps, context: RequestContext, scope: HeldScope) =>
  stepsOf(REDACTION, deps, context, deps.redactions(authorise(context, scope)));

const NOT_APPLIED = {
  applied_by: null,
  applied_at: null,
  rendition_sha256: null,
  rendition_size: null,
  original_sha256: null,
};

/**
 * Creates a draft, which hides nothing yet.
 *
 * @throws errors of checkTarget
 */
export async function draftRedaction(
  deps: RedactionDeps,
  context: RequestContext,
  subject: RedactionSubject,
  members: RedactionMembers,
): Promise<StoredRedaction> {
  const steps = redactionSteps(deps, context, 'redactions:write');
  const draft = async () => {
    await checkTarget(deps, steps.rows.tenantId, subject, members);
    return { ...members, ...NOT_APPLIED, subject, drafted_by: personOf(context) };
  };
  return steps.create(draft, { action: 'draft' });
}

/**
 * Changes a draft.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION, CONFLICT, errors of checkTarget
 */
export const updateRedaction = (
  deps: RedactionDeps,
  context: RequestContext,
  redactionId: string,
  { members, revision }: { readonly members: Partial<RedactionMembers>; readonly revision?: number | undefined },
): Promise<StoredRedaction> =>
  redactionSteps(deps, context, 'redactions:write').take(redactionId, 'update', {
    revision,
    change: async (before) => {
      await checkTarget(deps, before.tenant_id, before.subject, { ...before, ...members });
      return members;
    },
  });

/**
 * Discards a draft, which stays as a record.
 *
 * @throws NOT_FOUND, INVALID_TRANSITION
 */
export const discardRedaction = (
  deps: RedactionDeps,
  context: RequestContext,
  redactionId: string,
): Promise<StoredRedaction> => redactionSteps(deps, context, 'redactions:write').take(redactionId, 'discard');

type ReadDeps = Pick<RedactionDeps, 'redactions'>;

export const listRedactions = async (
  { redactions }: ReadDeps,
  context: RequestContext,
  query: ListQuery<StoredRedaction>,
  subject: SubjectFilter,
): Promise<Page<StoredRedaction>> => redactions(authorise(context, 'redactions:read')).pageAbout(query, subject);

/** Returns the redactions with these identifiers, by the rule of `getRedaction`. */
export const namedRedactions = async (
  { redactions }: ReadDeps,
  context: RequestContext,
  redactionIds: readonly string[],
): Promise<readonly StoredRedaction[]> => redactions(authorise(context, 'redactions:read')).among(redactionIds);

export async function getRedaction(
  { redactions }: ReadDeps,
  context: RequestContext,
  redactionId: string,
): Promise<StoredRedaction | null> {
  const rows = redactions(authorise(context, 'redactions:read'));
  return isIdOf('redaction', redactionId) ? rows.get(redactionId) : null;
}
