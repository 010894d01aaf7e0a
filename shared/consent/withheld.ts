import { type ConsentGate, MOST_MEMBERS_ASKED } from '../contracts/consent.js';
import { problem } from '../errors/problem.js';
import type { TenantId } from '../ids/tenant.js';
import type { SensitiveView } from './sensitivity.js';
import type { WithheldReason } from './verdict.js';

/** Report of the records that consent withholds from an answer (api.md section 6). */
export interface Withheld {
  readonly count: number;
  /** Of several reasons, that a consent denies it. */
  readonly reason: WithheldReason;
}

/** For what records are read; null for a tenant's key that states none, which sees all of its tenant's records. */
export interface StatedPurpose {
  readonly purpose: string;
  readonly actor: string | null;
}

/** The records that may be shown, and the report of the withheld ones; null if there are none. */
export async function withoutWithheld<T>(
  gate: ConsentGate,
  tenantId: TenantId,
  stated: StatedPurpose | null,
  records: readonly T[],
  viewOf: (record: T) => SensitiveView,
): Promise<{ readonly kept: readonly T[]; readonly withheld: Withheld | null }> {
  if (stated === null) return { kept: records, withheld: null };
  const reasons = await reasonsToWithhold(gate, tenantId, stated, records.map(viewOf));
  const kept = records.filter((_, index) => reasons[index] === null);
  return { kept, withheld: withheldOf(reasons) };
}

/** A record, or one of several parts of a record with more members than one question takes. */
interface JudgedPart {
  readonly index: number;
  readonly view: SensitiveView;
}

/** Returns the reason to withhold each record, in order, or null. Takes any number of records and members. */
export async function reasonsToWithhold(
  gate: ConsentGate,
  tenantId: TenantId,
  stated: StatedPurpose,
  views: readonly SensitiveView[],
): Promise<readonly (WithheldReason | null)[]> {
  const reasons: (WithheldReason | null)[] = views.map(() => null);
  for (const { member_ids, parts } of questionsOf(views)) {
    const verdict = await gate.decide(tenantId, { ...stated, member_ids });
    for (const { index, view } of parts) {
      reasons[index] = strongerReason([reasons[index] ?? null, verdict.withholds(view)]);
    }
  }
  return reasons;
}

/**
 * Packs records into questions of so many members. A record may be judged by some of its members at a time: what one of them
 * withholds is withheld, and it is open where each of them opens it.
 */
function* questionsOf(
  views: readonly SensitiveView[],
): Generator<{ readonly member_ids: readonly string[]; readonly parts: readonly JudgedPart[] }> {
  let members = new Set<string>();
  let parts: JudgedPart[] = [];
  for (const [index, view] of views.entries()) {
    let from = 0;
    do {
      const member_ids = view.member_ids.slice(from, from + MOST_MEMBERS_ASKED);
      const fresh = member_ids.filter((id) => !members.has(id));
      if (members.size + fresh.length > MOST_MEMBERS_ASKED) {
        yield { member_ids: [...members], parts };
        [members, parts] = [new Set(), []];
      }
      for (const id of member_ids) members.add(id);
      parts.push({ index, view: { ...view, member_ids } });
      from += MOST_MEMBERS_ASKED;
    } while (from < view.member_ids.length);
  }
  if (parts.length > 0) yield { member_ids: [...members], parts };
}

/** Of several reasons, that a consent denies it. */
export const strongerReason = (reasons: readonly (WithheldReason | null)[]): WithheldReason | null =>
  reasons.includes('CONSENT_DENIED') ? 'CONSENT_DENIED' : (reasons.find((reason) => reason !== null) ?? null);

/** Summarises the verdicts for the caller. */
export function withheldOf(reasons: readonly (WithheldReason | null)[]): Withheld | null {
  const reason = strongerReason(reasons);
  return reason === null ? null : { count: reasons.filter((each) => each !== null).length, reason };
}

/** One record that was asked for by its id. @throws FORBIDDEN where consent withholds it */
export async function refuseWithheld(
  gate: ConsentGate,
  tenantId: TenantId,
  stated: StatedPurpose | null,
  view: SensitiveView,
): Promise<void> {
  const { withheld } = await withoutWithheld(gate, tenantId, stated, [view], (it) => it);
  if (withheld === null) return;
  throw problem('FORBIDDEN', { message: 'Consent withholds this record from that purpose.', extra: { withheld } });
}
