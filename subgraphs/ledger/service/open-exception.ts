import { type Clock, isoTime } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { EXCEPTION_SEVERITY } from '../domain/exception-kinds.js';
import type { ExceptionDraft, ExceptionRow, ExceptionStore } from './ports/exception-store.js';

export type OpenExceptions = (tenantId: string, drafts: readonly ExceptionDraft[]) => Promise<readonly ExceptionRow[]>;

export interface OpenExceptionDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: (tenantId: string) => ExceptionStore;
}

/** Opens exceptions, once for each (kind, subject): what is open already is answered, not repeated. */
export function exceptionOpener(deps: OpenExceptionDeps): OpenExceptions {
  return async (tenantId, drafts) => {
    if (drafts.length === 0) return [];
    const nowMs = deps.clock.nowMs();
    const rows = drafts.map(
      (draft): ExceptionRow => ({
        ...draft,
        exception_id: deps.ids.next('exception'),
        severity: EXCEPTION_SEVERITY[draft.kind],
        status: 'OPEN',
        active: true,
        subject_key: sha256Hex(canonicalJson(draft.subject)),
        created_at: new Date(nowMs),
        history: [{ at: isoTime(nowMs), action: 'OPENED' }],
      }),
    );
    return deps.store(tenantId).insertNew(rows);
  };
}
