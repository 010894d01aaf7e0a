import { type GrantedScope, OPERATOR_SCOPE } from './scopes.js';

/** A role that every deployment has: its id is its name, and it cannot be changed. */
interface BuiltInRole {
  readonly role_id: string;
  readonly description: string;
  readonly scopes: readonly GrantedScope[];
}

/** The one table of built-in roles; docs/scopes.md is printed from it. */
export const BUILT_IN_ROLES: readonly BuiltInRole[] = [
  {
    role_id: 'operator',
    description: 'Runs the platform: everything, in any tenant. For actors of no tenant alone.',
    scopes: [OPERATOR_SCOPE],
  },
  {
    role_id: 'tenant-admin',
    description: 'Runs one tenant: everything in it but unredacted documents.',
    scopes: ['admin'],
  },
  {
    role_id: 'analyst',
    description: 'Looks into what happened, asks the graph, has bundles built, works the exceptions.',
    scopes: [
      'events:read',
      'ai-provenance:read',
      'appointments:read',
      'bundles:read',
      'bundles:request',
      'care-team:read',
      'exceptions:write',
      'graph:query',
      'holds:read',
      'matters:read',
    ],
  },
  {
    role_id: 'auditor',
    description: 'Reads everything that is evidence and takes bundles away; changes nothing.',
    scopes: [
      'events:read',
      'ai-provenance:read',
      'appointments:read',
      'bundles:read',
      'bundles:export',
      'care-team:read',
      'connectors:read',
      'consent:read',
      'data-rights:read',
      'feeds:read',
      'flags:read',
      'graph:query',
      'holds:read',
      'leads:read',
      'matters:read',
      'redactions:read',
      'retention:read',
    ],
  },
  {
    role_id: 'integrator',
    description: 'Sends in events, messages and documents from the systems of record.',
    scopes: [
      'events:read',
      'events:write',
      'ai-provenance:write',
      'appointments:write',
      'care-team:write',
      'connectors:read',
      'consent:write',
      'feeds:read',
    ],
  },
  {
    role_id: 'legal',
    description: 'Holds, matters, redactions and bundles; sees documents unredacted.',
    scopes: [
      'events:read',
      'ai-provenance:read',
      'bundles:read',
      'bundles:request',
      'bundles:export',
      'custody:write',
      'data-rights:read',
      'data-rights:write',
      'documents:unredacted',
      'exceptions:write',
      'holds:read',
      'holds:write',
      'matters:read',
      'matters:write',
      'redactions:read',
      'redactions:write',
      'redactions:apply',
      'retention:read',
    ],
  },
];

const BY_ID: ReadonlyMap<string, BuiltInRole> = new Map(BUILT_IN_ROLES.map((role) => [role.role_id, role]));

export const builtInRole = (roleId: string): BuiltInRole | undefined => BY_ID.get(roleId);
