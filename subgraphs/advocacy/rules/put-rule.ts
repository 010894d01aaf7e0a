import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import type { CustodyActor } from '../../../shared/contracts/custody.js';
import { custodyActorOf } from '../../../shared/custody/custody-entry.js';
import { problem } from '../../../shared/errors/problem.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { type PendingEffect, platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { requireRevision, retryOnConflict } from '../../../shared/records/conflicts.js';
import { type ArtifactDeps, type PreparedRule, prepareRule, type RevisionContent, storeArtifact } from './content.js';
import { periodsOf } from './domain/in-force.js';
import { RULE_BOUNDS } from './domain/kinds.js';
import type { KnownCodes, RuleStep, RuleStore, RuleWrite, StoredRevision, StoredRule } from './ports.js';
import { type ShownRevision, shownRevision } from './read-rules.js';
import type { RuleInput } from './schema.js';

export interface PutRuleDeps extends WorkDeps, ArtifactDeps {
  readonly rules: RuleStore;
  readonly knownCodes: KnownCodes;
  readonly clock: Clock;
}

/** The author of a rule: a request, or the import of the shared corpus. */
export interface RuleAuthor {
  readonly tenantId: TenantId;
  readonly by: string;
  readonly actor: CustodyActor;
  readonly workId: string | null;
}

/**
 * Writes a rule, or the next revision of the rule with this key. Content equal to a current revision returns that revision.
 *
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE, CONFLICT if two revisions would be in force, or if the rule has another
 * revision than the caller has read
 */
export async function putRule(deps: PutRuleDeps, context: RequestContext, given: RuleInput): Promise<ShownRevision> {
  const tenantId = authorise(context, 'rules:write');
  const author = { tenantId, by: context.principal.keyId, actor: custodyActorOf(context), workId: context.workId };
  const prepared = await prepareRule(deps.knownCodes, given);
  const { rule, revision } = await writeRule(deps, author, prepared, given.revision);
  return shownRevision(rule, revision);
}

interface WrittenRule {
  readonly rule: StoredRule;
  readonly revision: StoredRevision;
  /** False if a current revision has the same content. */
  readonly isNew: boolean;
}

/**
 * Writes a prepared rule.
 *
 * @param read the revision that the author has read; absent for any.
 */
export async function writeRule(
  deps: Omit<PutRuleDeps, 'knownCodes'>,
  author: RuleAuthor,
  { key, content, artifact }: PreparedRule,
  read?: number,
): Promise<WrittenRule> {
  const rules = deps.rules(author.tenantId);
  let isStored = false;
  return retryOnConflict('rule', async () => {
    const current = await rules.byKey(key);
    const same = current === null ? undefined : revisionMade(current, author, content.content_sha256);
    if (current !== null && same !== undefined) return { rule: current, revision: same, isNew: false };
    requireRevision('rule', { revision: current?.revision ?? 0 }, read);
    refuseNext(current, content);
    // The bytes are durable before a revision names them.
    if (!isStored) await storeArtifact(deps, author.tenantId, artifact);
    isStored = true;
    const write = ruleWrite(deps, author, { current, key, content });
    const rule = await (current === null ? rules.insert(write) : rules.addRevision(write));
    if (rule === null) return undefined;
    return { rule, revision: write.added, isNew: true };
  });
}

/** Returns the revision that this request has made before, or a current revision with the same content. */
function revisionMade(
  { revisions }: StoredRule,
  { workId }: RuleAuthor,
  contentSha256: string,
): StoredRevision | undefined {
  const current = new Set((periodsOf(revisions) ?? []).map(({ revision }) => revision));
  return revisions.find(
    ({ revision, work_id, content_sha256 }) =>
      (workId !== null && work_id === workId) || (current.has(revision) && content_sha256 === contentSha256),
  );
}

/** @throws CONFLICT */
function refuseNext(current: StoredRule | null, content: RevisionContent): void {
  if (current === null) return;
  if (current.revisions.some(({ kind }) => kind !== content.kind)) {
    throw problem('CONFLICT', {
      message: 'The rule with this key has another kind; use another key or the same kind.',
    });
  }
  if (current.revision >= RULE_BOUNDS.revisions) {
    throw problem('CONFLICT', { message: `A rule has at most ${RULE_BOUNDS.revisions} revisions; use another key.` });
  }
  if (periodsOf([...current.revisions, { ...content, revision: current.revision + 1 }]) === null) {
    throw problem('CONFLICT', {
      message: 'Another revision of this rule is in force in part of that time; choose times that do not overlap.',
    });
  }
}

interface Adding {
  readonly current: StoredRule | null;
  readonly key: string;
  readonly content: RevisionContent;
}

/** Builds the write of the next revision of a rule. */
export function ruleWrite(
  deps: Pick<PutRuleDeps, 'clock' | keyof WorkDeps>,
  author: RuleAuthor,
  { current, key, content }: Adding,
): RuleWrite {
  const added: StoredRevision = {
    ...content,
    revision: (current?.revision ?? 0) + 1,
    created_at: new Date(deps.clock.nowMs()),
    created_by: author.by,
    work_id: author.workId,
  };
  // Another attempt of the same request makes the same identifiers for the same revision.
  const { ids } = forWork(deps, { workId: author.workId }, `put-rule-${added.revision}`);
  const rule = {
    rule_id: current?.rule_id ?? ids.next('rule'),
    tenant_id: author.tenantId,
    key,
    created_at: current?.created_at ?? added.created_at,
    updated_at: added.created_at,
  };
  const written = { rule, before: current?.revisions ?? [], added };
  // The shared corpus has no ledger and no webhooks.
  if (author.tenantId === OPERATOR_TENANT) return { ...written, pending: [] };
  const step = stepOf(ids, author, rule, added);
  return { ...written, step, pending: [eventOf(ids, rule, added)], ...(current?.fact && { previous: current.fact }) };
}

type RuleName = Pick<StoredRule, 'rule_id' | 'tenant_id' | 'key'>;

const typeOf = ({ revision }: StoredRevision) => (revision === 1 ? 'rule.created' : 'rule.updated');

/** Describes the fact of a new revision. */
function stepOf(ids: WorkDeps['ids'], author: RuleAuthor, { rule_id, key }: RuleName, added: StoredRevision): RuleStep {
  const { revision, artifact_sha256, content_sha256, kind, created_by } = added;
  return {
    fact_id: ids.next('effect'),
    event_type: typeOf(added),
    at: isoTime(added.created_at.getTime()),
    action: revision === 1 ? 'create' : 'revise',
    actor: author.actor,
    details: {
      rule_id,
      key,
      kind,
      revision,
      artifact_sha256,
      content_sha256,
      effective_from: isoTime(added.effective_from.getTime()),
      effective_to: added.effective_to === null ? null : isoTime(added.effective_to.getTime()),
      by: created_by,
    },
  };
}

/** Describes the event for webhooks. */
function eventOf(ids: WorkDeps['ids'], { rule_id, tenant_id, key }: RuleName, added: StoredRevision): PendingEffect {
  const { revision, artifact_sha256, created_at } = added;
  const data = { rule_id, key, revision, artifact_sha256 };
  return platformEventEffect(ids, { tenant_id, type: typeOf(added), at: isoTime(created_at.getTime()), data });
}
