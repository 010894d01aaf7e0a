import { problem } from '../../../shared/errors/problem.js';
import { graphRoute } from '../../graph-route.js';
import type { RouteMaker } from '../../route.js';

/** By the word in the path: what it is, in words. */
const KINDS = {
  members: 'a member',
  holds: 'a legal hold',
  bundles: 'a bundle',
  exceptions: 'an exception',
  documents: 'a document',
} as const;

type Kind = keyof typeof KINDS;

/** Two routes for each kind of link: the kind stands in the path, and is an argument of the one operation. */
function linkRoute(method: 'POST' | 'DELETE', kind: Kind): RouteMaker {
  const isLink = method === 'POST';
  const maker = graphRoute({
    method,
    path: `/v1/legal-matters/{id}/${kind}/{ref}`,
    area: 'legal-matters',
    scope: 'matters:write',
    tenant: 'required',
    summary: isLink ? `Put ${KINDS[kind]} into a legal matter` : `Take ${KINDS[kind]} out of a legal matter`,
    description:
      isLink || kind !== 'documents'
        ? 'Again changes nothing.'
        : 'Again changes nothing. 409 LEGAL_HOLD_ACTIVE while a hold of the matter is active.',
    operation: isLink
      ? { name: 'LinkLegalMatter', field: 'linkLegalMatter' }
      : { name: 'UnlinkLegalMatter', field: 'unlinkLegalMatter' },
    params: { id: 'matter_id', ref: 'ref' },
    query: {},
    ...(isLink ? { body: 'free' as const } : { conflicts: true }),
    answer: 'The legal matter.',
  });
  return (contract) => {
    const route = maker(contract);
    return {
      ...route,
      handle: async ({ params, run }) => {
        const found = await run({ matter_id: params['id'], kind, ref: params['ref'] });
        if (found === null) throw problem('NOT_FOUND');
        return found;
      },
    };
  };
}

export const legalMatterLinks: readonly RouteMaker[] = (Object.keys(KINDS) as Kind[]).flatMap((kind) => [
  linkRoute('POST', kind),
  linkRoute('DELETE', kind),
]);
