import { BUILT_IN_ROLES } from '../../../../shared/auth/roles.js';
import type { GrantedScope } from '../../../../shared/auth/scopes.js';

/** A role as lists show it: built-in, or of a tenant. */
export interface ShownRole {
  readonly role_id: string;
  /** Null for a built-in role, which every tenant has. */
  readonly tenant_id: string | null;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly GrantedScope[];
  readonly built_in: boolean;
  readonly created_at: Date;
  readonly created_by: string | null;
  readonly updated_at: Date;
}

/** Built-in roles sort before all roles of tenants. */
const BEFORE_ALL = new Date(0);

export const BUILT_IN: readonly ShownRole[] = BUILT_IN_ROLES.map(({ role_id, description, scopes }) => ({
  role_id,
  tenant_id: null,
  name: role_id,
  description,
  scopes,
  built_in: true,
  created_at: BEFORE_ALL,
  created_by: null,
  updated_at: BEFORE_ALL,
}));

/** The requested part of a keyset-ordered list. */
interface RoleWindow {
  readonly order: 'asc' | 'desc';
  readonly after?: { readonly atMs: number; readonly id: string } | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly name?: string | readonly string[] | undefined;
}

/** Compares by (created_at, role_id), the order of the database. */
export function compareRoles(a: ShownRole, b: ShownRole, order: RoleWindow['order']): number {
  const byTime = a.created_at.getTime() - b.created_at.getTime();
  const ascending = byTime !== 0 ? byTime : a.role_id < b.role_id ? -1 : 1;
  return order === 'asc' ? ascending : -ascending;
}

/** Returns the built-in roles within the window. */
export function builtInWithin(window: RoleWindow): readonly ShownRole[] {
  const { after, fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY, order, name } = window;
  const isBeyond = (role: ShownRole): boolean => {
    if (after === undefined) return true;
    const place = { ...role, created_at: new Date(after.atMs), role_id: after.id };
    return role.role_id !== after.id && compareRoles(place, role, order) < 0;
  };
  return BUILT_IN.filter((role) => {
    const atMs = role.created_at.getTime();
    return atMs >= fromMs && atMs < toMs && (name === undefined || role.name === name) && isBeyond(role);
  });
}
