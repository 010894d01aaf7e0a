import { graphRoute } from '../../graph-route.js';

export const putFeatureFlag = graphRoute({
  method: 'PUT',
  path: '/v1/feature-flags/{key}',
  area: 'feature-flags',
  scope: 'flags:write',
  tenant: 'required',
  summary: 'Make or change a feature flag',
  description: 'What is put again unchanged changes nothing. A deleted flag comes back with its history.',
  operation: { name: 'PutFeatureFlag', field: 'putFeatureFlag' },
  params: { key: 'key' },
  body: { argument: 'input' },
  bodyExample: {
    type: 'boolean',
    variants: { on: true, off: false },
    default_variant: 'off',
    targeting: [
      { when: { '==': [{ var: 'jurisdiction' }, 'US-CA'] }, variant: 'on' },
      { split: [{ variant: 'on', percent: 25 }] },
    ],
    owner: 'analytics',
  },
  answer: 'The flag.',
});
