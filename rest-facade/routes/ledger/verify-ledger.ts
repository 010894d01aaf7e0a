import { VerdictSum, type VerificationPart } from '../../../shared/contracts/ledger-verification.js';
import { asProblem } from '../../../shared/errors/unexpected.js';
import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { graphRoute, operationOf } from '../../graph-route.js';
import { errorBody } from '../../plugins/errors.js';
import type { Route, RouteCall } from '../../route.js';
import { asksFor, StreamedAnswer } from '../../streams/streamed-answer.js';

const NDJSON = 'application/x-ndjson';

/** Streams never cross the graph: a verification travels as bounded parts, each of which takes up where the last one ended. */
type Part = VerificationPart & { readonly phase: string };

export function verifyLedger(contract: ContractDocument): Route {
  const { query, ...route } = graphRoute({
    method: 'GET',
    path: '/v1/ledger/verify',
    area: 'ledger',
    scope: 'events:read',
    tenant: 'required',
    summary: 'Re-hash the ledger against the write-once store, its tree and its checkpoints',
    description:
      'With `Accept: application/x-ndjson` progress and breaks come as they are found, a line each; the last line is the result, or the error that ended it. Going away ends the work.',
    operation: { name: 'VerifyLedgerPart', field: 'verifyLedgerPart' },
    answer: 'What was checked, and every break that was found.',
  })(contract);
  const { state: _, ...asked } = query ?? {};
  return {
    ...route,
    query: asked,
    response: { ...route.response, schema: operationOf(contract, 'verifyLedger').result },
    otherMedia: {
      [NDJSON]: {
        description:
          'One object a line, by `type`: `progress` { phase, checked }, `break` (as in the result), and last `result` or `error`.',
        schema: { type: 'string' },
      },
    },
    handle: async (call) => {
      const parts = partsOf(call);
      // Refusals come with the first part, while the status can still be said.
      const first = await parts.next();
      if (asksFor(call.accept, NDJSON)) return new StreamedAnswer(NDJSON, lines(first, parts, call.context.requestId));
      const sum = new VerdictSum<unknown, unknown>();
      for (let part = first; part.done !== true; part = await parts.next()) sum.add(part.value);
      return sum.verdict();
    },
  };
}

async function* partsOf(call: RouteCall): AsyncGenerator<Part, void> {
  for (let state: string | null | undefined; state !== null; ) {
    const part = (await call.run({ ...call.query, state })) as Part;
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
      const found = breaks.map((item) => line('break', item as object)).join('');
      yield found + line('progress', { phase, checked });
    }
    yield line('result', sum.verdict());
  } catch (error) {
    // The status is out; the line says what would have been answered.
    yield line('error', errorBody(asProblem(error), requestId));
  }
}

const line = (type: string, members: object): string => `${JSON.stringify({ type, ...members })}\n`;
