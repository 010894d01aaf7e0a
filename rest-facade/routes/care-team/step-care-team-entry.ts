import { problem } from '../../../shared/errors/problem.js';
import { graphRoute } from '../../graph-route.js';
import type { RouteMaker } from '../../route.js';

const SUMMARIES: Readonly<Record<string, string>> = {
  activate: 'Take up a proposed carer',
  suspend: 'Suspend a carer',
  resume: 'Take a suspended carer up again',
  end: "End a carer's time in a care team",
  'mark-in-error': 'Say that an entry of a care team was made in error',
};

/** One route for each step: it stands in the path, and is an argument of the one operation. */
export const careTeamSteps: readonly RouteMaker[] = Object.entries(SUMMARIES).map(([action, summary]) => {
  const maker = graphRoute({
    method: 'POST',
    path: `/v1/care-team/{id}/${action}`,
    area: 'care-team',
    scope: 'care-team:write',
    tenant: 'required',
    summary,
    description: '409 INVALID_TRANSITION where its status does not take this step; it names those that it takes.',
    operation: { name: 'StepCareTeamEntry', field: 'stepCareTeamEntry' },
    params: { id: 'care_team_id' },
    body: { argument: 'input' },
    bodyOptional: true,
    bodyExample: { reason: 'Moved away.' },
    answer: 'The entry.',
  });
  return (contract) => ({
    ...maker(contract),
    handle: async ({ params, body, run }) => {
      const found = await run({ care_team_id: params['id'], action, input: body?.value ?? {} });
      if (found === null) throw problem('NOT_FOUND');
      return found;
    },
  });
});
