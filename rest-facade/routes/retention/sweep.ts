import { graphRoute } from '../../graph-route.js';

export const sweepRetention = graphRoute({
  method: 'POST',
  path: '/v1/retention/sweep',
  area: 'retention',
  scope: 'retention:write',
  tenant: 'required',
  summary: 'Dispose of what is past its age',
  description:
    'What a hold covers stays, and the refusal is recorded. Headers and chain stay; each disposal leaves a certificate in custody. With dry_run nothing goes.',
  operation: { name: 'SweepRetention', field: 'sweepRetention' },
  body: 'arguments',
  bodyOptional: true,
  bodyExample: { dry_run: true },
  answer: 'What went, or would go, and what is held.',
});
