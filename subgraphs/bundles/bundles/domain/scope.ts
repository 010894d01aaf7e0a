import type { FieldFault } from '../../../../shared/errors/problem.js';
import { fault } from '../../../../shared/errors/problem.js';
import type { BundleType } from '../../../../shared/evidence/bundle/manifest.js';
import { instantOf } from '../../../../shared/time/rfc3339.js';

/** The scope of a bundle: exactly one of the three ids, and an optional half-open time window. */
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

interface RequestedScope {
  readonly scope: BundleScope;
  readonly bundleType: BundleType;
}

/**
 * Checks the rules that no schema expresses: one scope id, a matching type, the tenant of the request, an ordered
 * window.
 */
export function scopeOf(
  tenantId: string,
  asked: Omit<BundleScope, 'tenant_id'> & { readonly tenant_id?: string },
  bundleType: BundleType | undefined,
): RequestedScope | readonly FieldFault[] {
  const given = SCOPE_IDS.filter(([name]) => asked[name] !== undefined);
  const faults: FieldFault[] = [];
  if (asked.tenant_id !== undefined && asked.tenant_id !== tenantId) {
    faults.push(fault('/scope/tenant_id', 'tenant', 'Must be the tenant of the request.'));
  }
  const [only] = given;
  if (only === undefined || given.length > 1) {
    faults.push(fault('/scope', 'oneOf', 'Name exactly one of member_id, matter_id and incident_id.'));
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

interface Window {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Returns the window of a valid scope. */
export function windowOf({ from, to }: Pick<BundleScope, 'from' | 'to'>): Window {
  const fromMs = from === undefined ? undefined : instantOf(from);
  const toMs = to === undefined ? undefined : instantOf(to);
  return { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) };
}

/** Checks whether two bundles have the same scope, as a diff requires. Compares times as instants. */
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
