import { z } from 'zod';
import { JSON_OBJECT } from '../../../shared/contracts/call.js';
import { type LedgerAnchoring, VerdictSum } from '../../../shared/contracts/ledger-verification.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import { isJsonObject } from '../../../shared/json/strict-json.js';
import type { ExtendRoute } from '../../graph-route.js';
import { operationOf } from '../../graph-route.js';
import { VERIFY_LINES_EXAMPLE } from '../../openapi/text-examples.js';
import { errorBody } from '../../plugins/errors.js';
import type { RouteCall } from '../../route.js';
import { asksFor, StreamedAnswer } from '../../streams/streamed-answer.js';

const NDJSON = 'application/x-ndjson';

/** Streams never cross the graph: a verification comes as bounded parts, each of which continues the one before. */
const Part = z.object({
  phase: z.string(),
  checked: z.int(),
  partitions: z.array(z.unknown()),
  breaks: z.array(JSON_OBJECT),
  not_checked: z.array(z.object({ what: z.string(), why: z.string() })),
  anchoring: z.custom<LedgerAnchoring>(isJsonObject).nullable(),
  next_state: z.string().nullable(),
});
type Part = z.infer<typeof Part>;

export const verifyLedger: ExtendRoute = (route, contract) => {
  const { state: _, ...asked } = route.query ?? {};
  return {
    query: asked,
    response: { ...route.response, schema: operationOf(contract, 'verifyLedger').result },
    otherMedia: {
      [NDJSON]: {
        description:
          'One object a line, by `type`: `progress` { phase, checked }, `break` (as in the result), and last `result` or `error`.',
        example: VERIFY_LINES_EXAMPLE,
      },
    },
    handle: async (call) => {
      const parts = partsOf(call);
      // A rejection comes with the first part, before the status is sent.
      const first = await parts.next();
      if (asksFor(call.accept, NDJSON)) return new StreamedAnswer(NDJSON, lines(first, parts, call.context.requestId));
      const sum = new VerdictSum<unknown, unknown>();
      for (let part = first; part.done !== true; part = await parts.next()) sum.add(part.value);
      return sum.verdict();
    },
  };
};

async function* partsOf(call: RouteCall): AsyncGenerator<Part, void> {
  for (let state: string | null | undefined; state !== null; ) {
    const part: Part = await call.read(Part, { ...call.query, state });
    yield part;
    state = part.next_state;
  }
}

async function* lines(
  first: IteratorResult<Part, void>,
  parts: AsyncGenerator<Part, void>,
  requestId: string,
): AsyncGenerator<string> {
  const sum = new VerdictSum<unknown, unknown>();
  try {
    for (let part = first; part.done !== true; part = await parts.next()) {
      const { phase, checked, breaks } = part.value;
      sum.add(part.value);
      const found = breaks.map((item) => line('break', item)).join('');
      yield found + line('progress', { phase, checked });
    }
    yield line('result', sum.verdict());
  } catch (error) {
    // The status is already sent, so the error is the last line.
    yield line('error', errorBody(asProblem(error), requestId));
  }
}

const line = (type: string, members: object): string => `${JSON.stringify({ type, ...members })}\n`;
