import type { GraphRouteEntry } from '../../graph-route.js';
import type { RouteEntries } from '../../route-table.js';
import { type RouteArea, routeTable } from '../../route-table.js';

const LEGAL_MATTERS: RouteArea = {
  area: 'legal-matters',
  id: 'matter_id',
  reads: 'matters:read',
  writes: 'matters:write',
};

/** Kinds of links by the word in the path. */
const LINK_KINDS = {
  members: 'a member',
  holds: 'a legal hold',
  bundles: 'a bundle',
  exceptions: 'an exception',
  documents: 'a document',
};

/** Two routes a kind: the path names the kind, which is an argument of the operation. */
const linkRoutes = (): RouteEntries =>
  Object.fromEntries(
    Object.entries(LINK_KINDS).flatMap(([kind, noun]): [string, GraphRouteEntry][] => {
      const path = `/v1/legal-matters/{id}/${kind}/{ref}`;
      const common = {
        params: { id: 'matter_id', ref: 'ref' },
        constants: { kind },
        query: {},
        answer: 'The legal matter.',
      };
      const link: GraphRouteEntry = {
        ...common,
        summary: `Add ${noun} to a legal matter`,
        description: 'Repeating it changes nothing.',
        operation: { name: 'LinkLegalMatter', field: 'linkLegalMatter' },
        body: 'free',
      };
      const unlink: GraphRouteEntry = {
        ...common,
        summary: `Remove ${noun} from a legal matter`,
        description:
          kind === 'documents'
            ? 'Repeating it changes nothing. 409 LEGAL_HOLD_ACTIVE while a hold of the matter is active.'
            : 'Repeating it changes nothing.',
        operation: { name: 'UnlinkLegalMatter', field: 'unlinkLegalMatter' },
        conflicts: true,
      };
      return [
        [`POST ${path}`, link],
        [`DELETE ${path}`, unlink],
      ];
    }),
  );

export const legalMatterRoutes = routeTable(LEGAL_MATTERS, {
  'POST /v1/legal-matters': {
    summary: 'Open a legal matter',
    description: 'Named holds, bundles, exceptions and documents must exist; member ids are yours.',
    operation: { name: 'CreateLegalMatter', field: 'createLegalMatter' },
    bodyExample: { name: 'Doe v. Acme Health Plan', kind: 'LITIGATION', member_ids: ['M-1'] },
    answer: 'The legal matter, OPEN.',
  },
  'GET /v1/legal-matters': {
    summary: 'List legal matters',
    operation: { name: 'ListLegalMatters', field: 'legalMatters' },
    answer: 'One page of legal matters, newest first by default.',
  },
  'GET /v1/legal-matters/{id}': {
    summary: 'Read one legal matter',
    operation: { name: 'GetLegalMatter', field: 'legalMatter' },
    answer: 'The legal matter with its steps.',
  },
  'PATCH /v1/legal-matters/{id}': {
    summary: 'Change an open legal matter',
    description: 'Absent members stay; null removes the description.',
    operation: { name: 'UpdateLegalMatter', field: 'updateLegalMatter' },
    bodyExample: { description: 'Denial of PA-1 in March.' },
    answer: 'The legal matter.',
  },
  'POST /v1/legal-matters/{id}/close': {
    summary: 'Close a legal matter',
    description: 'Final. 409 LEGAL_HOLD_ACTIVE while a hold of the matter is active.',
    operation: { name: 'CloseLegalMatter', field: 'closeLegalMatter' },
    answer: 'The legal matter, CLOSED.',
  },
  ...linkRoutes(),
});
