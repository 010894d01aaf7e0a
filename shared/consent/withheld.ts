import type { ConsentGate } from '../contracts/consent.js';
import { problem } from '../errors/problem.js';
import type { TenantId } from '../ids/tenant.js';
import type { SensitiveView } from './sensitivity.js';
import type { WithheldReason } from './verdict.js';

/** What an answer tells of records that consent keeps out of it (api.md section 6). */
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

/** The records that may be given out, and what is told of the others; null where there are none. */
export async function withoutWithheld<T>(
  gate: ConsentGate,
  tenantId: TenantId,
  stated: StatedPurpose | null,
  records: readonly T[],
  viewOf: (record: T) => SensitiveView,
): Promise<{ readonly kept: readonly T[]; readonly withheld: Withheld | null }> {
  if (stated === null || records.length === 0) return { kept: records, withheld: null };
  const views = records.map(viewOf);
  const member_ids = [...new Set(views.flatMap((view) => view.member_ids))];
  const verdict = await gate.decide(tenantId, { ...stated, member_ids });
  const reasons = views.map((view) => verdict.withholds(view));
  const kept = records.filter((_, index) => reasons[index] === null);
  return { kept, withheld: withheldOf(reasons) };
}

/** Records judged at once: consent is asked about 1,000 members at most, and most records are of one. */
const AT_ONCE = 500;

/** As many records as there are, in turns. */
export async function withoutWithheldOfMany<T>(
  gate: ConsentGate,
  tenantId: TenantId,
  stated: StatedPurpose | null,
  records: readonly T[],
  viewOf: (record: T) => SensitiveView,
): Promise<{ readonly kept: readonly T[]; readonly withheld: Withheld | null }> {
  const kept: T[] = [];
  const told: Withheld[] = [];
  for (let at = 0; at < records.length; at += AT_ONCE) {
    const some = await withoutWithheld(gate, tenantId, stated, records.slice(at, at + AT_ONCE), viewOf);
    kept.push(...some.kept);
    if (some.withheld) told.push(some.withheld);
  }
  const [first] = told;
  if (first === undefined) return { kept, withheld: null };
  const isOne = told.every(({ reason }) => reason === first.reason);
  const count = told.reduce((sum, one) => sum + one.count, 0);
  return { kept, withheld: { count, reason: isOne ? first.reason : 'CONSENT_DENIED' } };
}

/** What is told of so many judgements. */
export function withheldOf(reasons: readonly (WithheldReason | null)[]): Withheld | null {
  const given = reasons.filter((reason) => reason !== null);
  const [first] = given;
  if (first === undefined) return null;
  const isOne = given.every((reason) => reason === first);
  return { count: given.length, reason: isOne ? first : 'CONSENT_DENIED' };
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
