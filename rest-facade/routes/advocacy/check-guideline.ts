import { graphRoute } from '../../graph-route.js';

export const checkGuideline = graphRoute({
  method: 'GET',
  path: '/v1/advocacy/guideline/{event_id}',
  area: 'advocacy',
  scope: 'events:read',
  members: { custody: 'facade' },
  tenant: 'required',
  summary: 'Check an event against published guidelines',
  description:
    'Which guidelines in force at the event’s effective time speak of its codes, and what the record of its member says to ' +
    'each criterion: met, not met, or null where it says nothing, with the evidence. The verdict follows from the criteria ' +
    'by the rule that the answer states. An event without codes has no guideline. It is not legal or medical advice.',
  operation: { name: 'CheckGuideline', field: 'guidelineCheck' },
  params: { event_id: 'event_id' },
  answer: 'The verdict, with guidelines and criteria.',
});
