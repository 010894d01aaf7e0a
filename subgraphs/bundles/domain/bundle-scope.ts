import type { FieldFault } from '../../../shared/errors/problem.js';
import { fault } from '../../../shared/errors/problem.js';
import type { BundleType } from '../../../shared/evidence/bundle/manifest.js';
import { instantOf } from '../../../shared/time/rfc3339.js';

/** What a bundle is asked to gather: exactly one of the three ids, and a half-open window where one is wanted. */
export interface BundleScope {
  readonly tenant_id: string;
  readonly member_id?: string;
  readonly matter_id?: string;
  readonly incident_id?: string;
  readonly from?: string;
  readonly to?: string;
}

const SCOPE_IDS = [
  ['member_id', 'MEMBER'],
  ['matter_id', 'MATTER'],
  ['incident_id', 'INCIDENT'],
] as const;

export interface AskedScope {
  readonly scope: BundleScope;
  readonly bundleType: BundleType;
}

/**
 * Holds a request against the rules that no schema says: one scope id, a type that agrees with it, the tenant of the
 * request, a window that is not upside down.
 */
export function scopeOf(
  tenantId: string,
  asked: Omit<BundleScope, 'tenant_id'> & { readonly tenant_id?: string },
  bundleType: BundleType | undefined,
): AskedScope | readonly FieldFault[] {
  const given = SCOPE_IDS.filter(([name]) => asked[name] !== undefined);
  const faults: FieldFault[] = [];
  if (asked.tenant_id !== undefined && asked.tenant_id !== tenantId) {
    faults.push(fault('/scope/tenant_id', 'tenant', 'Must be the tenant of the request.'));
  }
  const [only] = given;
  if (only === undefined || given.length > 1) {
    faults.push(fault('/scope', 'oneOf', 'Give exactly one of member_id, matter_id and incident_id.'));
  } else if (bundleType !== undefined && bundleType !== only[1]) {
    faults.push(fault('/bundle_type', 'scope', `Must be ${only[1]}, as the scope names ${only[0]}.`));
  }
  faults.push(...windowFaults(asked));
  if (faults.length > 0 || only === undefined) return faults;
  const [name, type] = only;
  const { from, to } = asked;
  const window = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return { scope: { tenant_id: tenantId, [name]: asked[name], ...window }, bundleType: type };
}

function windowFaults({ from, to }: Pick<BundleScope, 'from' | 'to'>): readonly FieldFault[] {
  const fromMs = from === undefined ? null : instantOf(from);
  const toMs = to === undefined ? null : instantOf(to);
  if (fromMs === undefined) return [fault('/scope/from', 'format', 'Must be an RFC 3339 time with a zone.')];
  if (toMs === undefined) return [fault('/scope/to', 'format', 'Must be an RFC 3339 time with a zone.')];
  if (fromMs === null || toMs === null || fromMs < toMs) return [];
  return [fault('/scope/to', 'range', 'Must be later than from.')];
}

export interface Window {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The window of a scope that was judged good. */
export function windowOf({ from, to }: Pick<BundleScope, 'from' | 'to'>): Window {
  const fromMs = from === undefined ? undefined : instantOf(from);
  const toMs = to === undefined ? undefined : instantOf(to);
  return { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) };
}

/** Whether two bundles are over the same scope: what a diff needs. Times are compared as instants. */
export function sameScope(a: BundleScope, b: BundleScope): boolean {
  const [one, other] = [windowOf(a), windowOf(b)];
  return (
    a.member_id === b.member_id &&
    a.matter_id === b.matter_id &&
    a.incident_id === b.incident_id &&
    one.fromMs === other.fromMs &&
    one.toMs === other.toMs
  );
}
