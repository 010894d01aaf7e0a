import { graphRoute } from '../../graph-route.js';

export const applyRedaction = graphRoute({
  method: 'POST',
  path: '/v1/redactions/{id}/apply',
  area: 'redactions',
  scope: 'redactions:apply',
  tenant: 'required',
  summary: 'Apply a redaction',
  description:
    'Makes the rendition, which readers without documents:unredacted get from then on; the original stays. Another person than those who drafted it must apply it, unless the deployment lets one do both. Final.',
  operation: { name: 'ApplyRedaction', field: 'applyRedaction' },
  params: { id: 'redaction_id' },
  secretAnswer: true,
  answer: 'The redaction, APPLIED.',
});
