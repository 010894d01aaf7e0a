import { type RouteArea, routeTable } from '../route-table.js';

const ACTORS: RouteArea = { area: 'actors', id: 'actor_id', reads: 'admin', tenant: 'optional' };

export const actorRoutes = routeTable(ACTORS, {
  'POST /v1/actors': {
    freeForm: 'kept',
    summary: 'Create an actor',
    operation: { name: 'CreateActor', field: 'createActor' },
    bodyExample: { name: 'Jordan Reyes, appeals', role_ids: ['analyst'] },
    answer: 'The actor.',
  },
  'GET /v1/actors': {
    summary: 'List actors',
    operation: { name: 'ListActors', field: 'actors' },
    answer: 'One page of the actors that the key may see.',
  },
  'GET /v1/actors/{id}': {
    summary: 'Read one actor',
    operation: { name: 'GetActor', field: 'actor' },
    answer: 'The actor.',
  },
  'PATCH /v1/actors/{id}': {
    summary: 'Rename, suspend or reactivate an actor',
    description: 'Every process rejects the keys of a suspended actor within 5 s.',
    operation: { name: 'ChangeActor', field: 'changeActor' },
    bodyExample: { status: 'SUSPENDED' },
    answer: 'The updated actor.',
  },
  'POST /v1/actors/{id}/roles/{role_id}': {
    freeForm: 'ignored',
    summary: 'Give an actor a role',
    description: 'Giving a role again changes nothing. The caller must hold the role.',
    operation: { name: 'GiveRole', field: 'giveRole' },
    bodyExample: {},
    answer: 'The updated actor.',
  },
  'DELETE /v1/actors/{id}/roles/{role_id}': {
    summary: 'Take a role from an actor',
    description: 'Taking a role that the actor lacks changes nothing.',
    operation: { name: 'TakeRole', field: 'takeRole' },
    answer: 'The updated actor.',
  },
});

const ROLES: RouteArea = { area: 'roles', id: 'role_id', reads: 'admin', tenant: 'optional' };

export const roleRoutes = routeTable(ROLES, {
  'POST /v1/roles': {
    summary: 'Create a role',
    operation: { name: 'CreateRole', field: 'createRole' },
    bodyExample: { name: 'appeals', scopes: ['events:read', 'bundles:request'] },
    answer: 'The role.',
  },
  'GET /v1/roles': {
    summary: 'List roles',
    operation: { name: 'ListRoles', field: 'roles' },
    answer: 'One page of the built-in roles and the custom roles that the key may see.',
  },
  'GET /v1/roles/{id}': {
    summary: 'Read one role',
    operation: { name: 'GetRole', field: 'role' },
    answer: 'The role.',
  },
  'PATCH /v1/roles/{id}': {
    summary: 'Change a custom role',
    description: 'Holders of the role get its new scopes within 5 s. CONFLICT for a built-in role.',
    operation: { name: 'ChangeRole', field: 'changeRole' },
    bodyExample: { scopes: ['events:read'] },
    answer: 'The updated role.',
  },
  'DELETE /v1/roles/{id}': {
    summary: 'Delete a custom role',
    description: 'CONFLICT while an actor or an active key has it.',
    operation: { name: 'DeleteRole', field: 'deleteRole' },
    answer: 'The deleted role.',
  },
});
