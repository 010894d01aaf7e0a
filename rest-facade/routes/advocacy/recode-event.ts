import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { graphRoute } from '../../graph-route.js';
import { Answer, type Route } from '../../route.js';

/** As shared/graph/withheld-page.ts has it. */
const PURPOSE = { maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_]*$' };
const PDF = 'application/pdf';

/** The graph gives the letter as Markdown; the PDF is made of it here. */
export function recodeEvent(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'POST',
    path: '/v1/advocacy/recode/{event_id}',
    area: 'advocacy',
    scope: 'events:read',
    tenant: 'required',
    summary: 'Suggest other codes that the record supports, and draft an appeal',
    description:
      'Suggestions stand on what is on the record, each with its rule and evidence; what the record does not support is told as needed and never suggested. The event is not changed. `format=pdf` answers with the letter alone. It is not legal or medical advice.',
    operation: { name: 'RecodeEvent', field: 'recodeEvent' },
    params: { event_id: 'event_id' },
    body: { argument: 'input' },
    bodyOptional: true,
    bodyExample: { notes: 'The brace was tried for six weeks.' },
    query: {
      record: { type: 'boolean', description: 'Make the answer an entry of the ledger (once for each answer).' },
      purpose: {
        type: 'string',
        ...PURPOSE,
        description: 'For what; consent is asked, and what it withholds takes no part.',
      },
      format: { type: 'string', enum: ['json', 'pdf'], description: 'json unless told; pdf: the letter alone.' },
    },
    answer: 'Suggestions, and the draft of an appeal.',
  })(contract);
  return {
    ...route,
    otherMedia: {
      [PDF]: { schema: { type: 'string' }, description: 'The letter, with format=pdf; JSON where there is none.' },
    },
    handle: async (call) => {
      const { format, ...query } = call.query;
      const answer = (await route.handle({ ...call, query })) as {
        readonly appeal: { readonly letter: string | null };
      };
      const { letter } = answer.appeal;
      // Where nothing was denied there is no letter, in no format: the answer says why.
      if (format !== 'pdf' || letter === null) return answer;
      const { letterPdf } = await import('../../../shared/pdf/letter-pdf.js');
      const headers = {
        'content-type': PDF,
        'content-disposition': `attachment; filename="appeal-${call.params['event_id']}.pdf"`,
        'x-content-type-options': 'nosniff',
      };
      return new Answer(200, Buffer.from(await letterPdf(letter)), headers);
    },
  };
}
