import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import { forWork, type WorkDeps } from '../../../shared/ids/work.js';
import { ledgerEntryEffect, type PendingEffect, platformEventEffect } from '../../../shared/outbox/pending-effect.js';
import { RULE_BOUNDS } from '../domain/rules/rule-bounds.js';
import { periodsOf } from '../domain/rules/rule-periods.js';
import type { KnownCodes } from './ports/known-codes.js';
import type { RuleStore, RuleWrite, StoredRevision, StoredRule } from './ports/rule-store.js';
import { type ShownRevision, shownRevision } from './read-rules.js';
import { type ArtifactDeps, storeArtifact } from './rule-artifact.js';
import { type PreparedRule, prepareRule, type RevisionContent, type RuleInput } from './rule-content.js';

export interface PutRuleDeps extends WorkDeps, ArtifactDeps {
  readonly rules: RuleStore;
  readonly knownCodes: KnownCodes;
  readonly clock: Clock;
}

/** Who writes it: a request, or the import of the shared corpus. */
export interface RuleAuthor {
  readonly tenantId: TenantId;
  readonly by: string;
  readonly workId: string | null;
}

/** Writers who meet on one rule try again this often. */
const MAX_ATTEMPTS = 5;

/**
 * A new key is a new rule, a known one its next revision; what says the same as a revision that stands is that revision.
 *
 * @throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE, CONFLICT where two revisions would be in force at once
 */
export async function putRule(deps: PutRuleDeps, context: RequestContext, given: RuleInput): Promise<ShownRevision> {
  const tenantId = authorise(context, 'rules:write');
  const author = { tenantId, by: context.principal.keyId, workId: context.workId };
  const prepared = await prepareRule(deps.knownCodes, given);
  const { rule, revision } = await writeRule(deps, author, prepared);
  return shownRevision(rule, revision);
}

export interface WrittenRule {
  readonly rule: StoredRule;
  readonly revision: StoredRevision;
  /** False where a revision that stands says the same. */
  readonly isNew: boolean;
}

/** The same for an author that is known, of a rule that is prepared. */
export async function writeRule(
  deps: Omit<PutRuleDeps, 'knownCodes'>,
  author: RuleAuthor,
  { key, content, artifact }: PreparedRule,
): Promise<WrittenRule> {
  const rules = deps.rules(author.tenantId);
  let isStored = false;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const standing = await rules.byKey(key);
    const same = standing === null ? undefined : revisionMade(standing, author, content.content_sha256);
    if (standing !== null && same !== undefined) return { rule: standing, revision: same, isNew: false };
    refuseNext(standing, content);
    // The bytes are durable before a revision names them.
    if (!isStored) await storeArtifact(deps, author.tenantId, artifact);
    isStored = true;
    const write = ruleWrite(deps, author, { standing, key, content });
    const rule = await (standing === null ? rules.insert(write) : rules.addRevision(write));
    if (rule === null) continue;
    await rules.relay(write);
    return { rule, revision: write.added, isNew: true };
  }
  throw problem('CONFLICT', { message: 'The rule is being changed by others; read it and try again.' });
}

/** What this very request has made before it lost its answer; or a revision, corrected by none, that says the same. */
function revisionMade(
  { revisions }: StoredRule,
  { workId }: RuleAuthor,
  contentSha256: string,
): StoredRevision | undefined {
  const standing = new Set((periodsOf(revisions) ?? []).map(({ revision }) => revision));
  return revisions.find(
    ({ revision, work_id, content_sha256 }) =>
      (workId !== null && work_id === workId) || (standing.has(revision) && content_sha256 === contentSha256),
  );
}

/** @throws CONFLICT */
function refuseNext(standing: StoredRule | null, content: RevisionContent): void {
  if (standing === null) return;
  if (standing.revisions.some(({ kind }) => kind !== content.kind)) {
    throw problem('CONFLICT', { message: 'The rule of this key is of another kind; a rule keeps its kind.' });
  }
  if (standing.revision >= RULE_BOUNDS.revisions) {
    throw problem('CONFLICT', { message: `A rule has at most ${RULE_BOUNDS.revisions} revisions; use another key.` });
  }
  if (periodsOf([...standing.revisions, { ...content, revision: standing.revision + 1 }]) === null) {
    throw problem('CONFLICT', {
      message: 'Another revision of this rule is in force in a part of that time; choose times that do not overlap.',
    });
  }
}

export interface Adding {
  readonly standing: StoredRule | null;
  readonly key: string;
  readonly content: RevisionContent;
}

/** The next revision of a rule, with what follows from it. */
export function ruleWrite(
  deps: Pick<PutRuleDeps, 'clock' | keyof WorkDeps>,
  author: RuleAuthor,
  { standing, key, content }: Adding,
): RuleWrite {
  const added: StoredRevision = {
    ...content,
    revision: (standing?.revision ?? 0) + 1,
    created_at: new Date(deps.clock.nowMs()),
    created_by: author.by,
    work_id: author.workId,
  };
  // Another attempt of the same request makes the same identifiers, revision by revision.
  const { ids } = forWork(deps, { workId: author.workId }, `put-rule-${added.revision}`);
  const rule = {
    rule_id: standing?.rule_id ?? ids.next('rule'),
    tenant_id: author.tenantId,
    key,
    created_at: standing?.created_at ?? added.created_at,
    updated_at: added.created_at,
  };
  return { rule, before: standing?.revisions ?? [], added, pending: effectsOf(ids, rule, added) };
}

/** What follows from a new revision. The shared corpus is nobody's ledger and nobody's webhook. */
function effectsOf(
  ids: WorkDeps['ids'],
  { rule_id, tenant_id, key }: Pick<StoredRule, 'rule_id' | 'tenant_id' | 'key'>,
  added: StoredRevision,
): readonly PendingEffect[] {
  if (tenant_id === OPERATOR_TENANT) return [];
  const { revision, artifact_sha256, created_at, kind, created_by } = added;
  const type = revision === 1 ? 'rule.created' : 'rule.updated';
  const at = isoTime(created_at.getTime());
  const payload = {
    rule_id,
    key,
    kind,
    revision,
    artifact_sha256,
    content_sha256: added.content_sha256,
    effective_from: isoTime(added.effective_from.getTime()),
    effective_to: added.effective_to === null ? null : isoTime(added.effective_to.getTime()),
    by: created_by,
  };
  return [
    ledgerEntryEffect(ids, {
      tenant_id,
      source_system: '_records',
      entry: { event_family: 'rule', event_type: type, event_effective_timestamp: at, payload },
    }),
    platformEventEffect(ids, { tenant_id, type, at, data: { rule_id, key, revision, artifact_sha256 } }),
  ];
}
