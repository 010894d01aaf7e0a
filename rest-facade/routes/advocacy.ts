import { z } from 'zod';
import { parseShape } from '../../shared/contracts/call.js';
import type { ExtendRoute } from '../graph-route.js';
import { preferredLanguage } from '../preferred-language.js';
import { Answer } from '../route.js';
import { type RouteArea, routeTable } from '../route-table.js';

const LANGUAGES = ['en', 'es'];

/** Takes the language from the query or from Accept-Language. */
const explainEvent: ExtendRoute = () => {
  return {
    handle: async (call) => {
      const language = call.query['language'] ?? preferredLanguage(call.acceptLanguage, LANGUAGES) ?? LANGUAGES[0];
      const record = call.query['record'] === true && !call.isHead;
      const body = await call.run({ ...call.query, record, event_id: call.params['event_id'], language });
      return new Answer(200, body, { 'content-language': String(language), vary: 'accept-language' });
    },
  };
};

const RecodeAnswer = z.object({ appeal: z.object({ letter: z.string().nullable() }) });
const PDF = 'application/pdf';

/** The graph returns the letter as Markdown; this converts it to PDF. */
const recodeEvent: ExtendRoute = (route) => {
  return {
    reads: true,
    otherMedia: {
      [PDF]: { description: 'The letter, with format=pdf; JSON if there is no letter.' },
    },
    handle: async (call) => {
      const { format, ...query } = call.query;
      const answer = await route.handle({ ...call, query });
      const { letter } = parseShape('recodeEvent: answer', RecodeAnswer, answer).appeal;
      // Without a denial there is no letter in any format; the answer says why.
      if (format !== 'pdf' || letter === null) return answer;
      const { letterPdf } = await import('../../shared/pdf/letter-pdf.js');
      const headers = {
        'content-type': PDF,
        'content-disposition': `attachment; filename="appeal-${call.params['event_id']}.pdf"`,
        'x-content-type-options': 'nosniff',
      };
      return new Answer(200, Buffer.from(await letterPdf(letter)), headers);
    },
  };
};

const ADVOCACY: RouteArea = { area: 'advocacy', reads: 'events:read' };

export const advocacyRoutes = routeTable(ADVOCACY, {
  'GET /v1/advocacy/explain/{event_id}': {
    members: { custody: 'facade' },
    summary: 'Explain an event in plain words',
    description:
      'Explains each reason code, its cause, the next steps with their deadlines, the costs, and the appeal rights of the ' +
      'programme and state on that day. At reading grade 8 or below, in English or Spanish (`language`, else ' +
      'Accept-Language). The answer marks unknown codes, and says so if the event has no codes. ' +
      'It is not legal or medical advice.',
    operation: { name: 'ExplainEvent', field: 'explanation' },
    answer: 'The explanation.',
    extend: explainEvent,
  },
  'GET /v1/advocacy/guideline/{event_id}': {
    members: { custody: 'facade' },
    summary: 'Check an event against published guidelines',
    description:
      'Finds the guidelines that cover the event’s codes at its effective time, and checks each criterion against the ' +
      'member’s record: met, not met, or null without evidence. The answer states the rule by which the verdict follows ' +
      'from the criteria. An event without codes has no guideline. It is not legal or medical advice.',
    operation: { name: 'CheckGuideline', field: 'guidelineCheck' },
    answer: 'The verdict, with guidelines and criteria.',
  },
  'POST /v1/advocacy/recode/{event_id}': {
    freeForm: 'ignored',
    summary: 'Suggest codes that the record supports, and draft an appeal',
    description:
      'Each suggestion cites its rule and its evidence in the record. Codes without evidence are listed as needed, not ' +
      'suggested. The event does not change. `format=pdf` returns only the letter. It is not legal or medical advice.',
    operation: { name: 'RecodeEvent', field: 'recodeEvent' },
    bodyOptional: true,
    bodyExample: { notes: 'The brace was tried for six weeks.' },
    query: {
      record: { type: 'boolean', description: 'Record the answer in the ledger, once for each answer.' },
      purpose: {
        type: 'string',
        maxLength: 64,
        pattern: '^[A-Za-z][A-Za-z0-9_]*$',
        description: 'The purpose of the read; records that consent withholds are not used.',
      },
      format: { type: 'string', enum: ['json', 'pdf'], description: 'json (default), or pdf for only the letter.' },
    },
    answer: 'Suggestions and a draft of the appeal.',
    extend: recodeEvent,
  },
});
