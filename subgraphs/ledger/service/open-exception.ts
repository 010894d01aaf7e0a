import type { Clock } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { Ids } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { EXCEPTION_TABLE } from '../domain/exception-kinds.js';
import type { ExceptionEffects } from './exception-effects.js';
import { exceptionWrite, SERVICE_TAKER } from './exception-step.js';
import type { ExceptionDraft, ExceptionRow, ExceptionStore, ExceptionWrite } from './ports/exception-store.js';

export type OpenExceptions = (tenantId: string, drafts: readonly ExceptionDraft[]) => Promise<readonly ExceptionRow[]>;

export interface OpenExceptionDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly exceptions: ExceptionStore;
  readonly effects: ExceptionEffects;
}

/**
 * Opens exceptions, once for each (kind, subject) that is not resolved: one that stands is counted again and not repeated.
 * Answers the one that stands for each draft.
 */
export function exceptionOpener(deps: OpenExceptionDeps): OpenExceptions {
  return async (tenantId, drafts) => {
    if (drafts.length === 0) return [];
    const writes = drafts.map((draft) => ({
      ...openingOf(deps, tenantId as TenantId, draft),
      once: draft.exception_id !== undefined,
    }));
    const told = await deps.exceptions.forTenant(tenantId as TenantId).open(writes);
    // The answer need not wait for what receivers are told: it is committed with the rows.
    deps.effects.later(writes.filter((_, i) => told[i]?.opened === true));
    return told.map(({ exception }) => exception);
  };
}

/** What makes two exceptions of a kind the same. */
export const subjectKeyOf = (subject: JsonObject): string => sha256Hex(canonicalJson(subject));

function openingOf(deps: OpenExceptionDeps, tenantId: TenantId, draft: ExceptionDraft): ExceptionWrite {
  const at = new Date(deps.clock.nowMs());
  const { exception_id, kind, source, subject, detail, raw_sha256 } = draft;
  return exceptionWrite(deps.ids, {
    action: 'open',
    from: null,
    taker: SERVICE_TAKER,
    exception: {
      exception_id: exception_id ?? deps.ids.next('exception'),
      tenant_id: tenantId,
      kind,
      severity: EXCEPTION_TABLE[kind].severity,
      status: 'OPEN',
      source,
      subject,
      subject_key: subjectKeyOf(subject),
      subject_ids: idsIn(subject),
      detail,
      raw_sha256: raw_sha256 ?? null,
      occurrences: 1,
      last_seen_at: at,
      assigned_to: null,
      resolution: null,
      resolution_note: null,
      resolved_at: null,
      known_gap: null,
      revision: 1,
      created_at: at,
      updated_at: at,
    },
  });
}

/** The texts of a subject but its kind: identifiers and hashes. */
const idsIn = ({ kind: _, ...members }: JsonObject): string[] => [
  ...new Set(Object.values(members).filter((value): value is string => typeof value === 'string')),
];
