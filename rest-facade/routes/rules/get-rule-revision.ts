import { problem } from '../../../shared/errors/problem.js';
import { graphRoute } from '../../graph-route.js';
import type { RouteMaker } from '../../route.js';

const maker = graphRoute({
  method: 'GET',
  path: '/v1/rules/{id}/revisions/{n}',
  area: 'rules',
  scope: 'rules:read',
  tenant: 'required',
  summary: 'Read one revision of a rule',
  operation: { name: 'GetRuleRevision', field: 'ruleRevision' },
  params: { id: 'rule_id', n: 'revision' },
  answer: 'The revision; it never changes.',
});

/** Revisions are counted from 1; what is no such number names none. */
const REVISION = /^[1-9][0-9]{0,5}$/;

export const getRuleRevision: RouteMaker = (contract) => {
  const route = maker(contract);
  return {
    ...route,
    handle: async ({ params, run }) => {
      const { id, n = '' } = params;
      if (!REVISION.test(n)) throw problem('NOT_FOUND');
      const found = await run({ rule_id: id, revision: Number(n) });
      if (found === null) throw problem('NOT_FOUND');
      return found;
    },
  };
};
