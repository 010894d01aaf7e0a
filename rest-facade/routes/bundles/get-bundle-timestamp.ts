import { problem } from '../../../shared/errors/problem.js';
import type { ContractDocument } from '../../../shared/graph/json-schema.js';
import { TIMESTAMP_REPLY } from '../../../shared/timestamp/time-stamp.js';
import { graphRoute } from '../../graph-route.js';
import type { Route } from '../../route.js';
import { asksFor, StreamedAnswer } from '../../streams/streamed-answer.js';

/** Seconds after which a token that waits is worth asking for again. */
const ASK_AGAIN_SECONDS = 30;

export function getBundleTimestamp(contract: ContractDocument): Route {
  const route = graphRoute({
    method: 'GET',
    path: '/v1/bundles/{id}/timestamp',
    area: 'bundles',
    scope: 'bundles:read',
    tenant: 'required',
    summary: "The time-stamp of a sealed bundle's signature (RFC 3161)",
    description:
      'A time-stamp authority, where the deployment names one, signs the SHA-256 of signature.sig. With `Accept: application/timestamp-reply` the bare answer, for `verify --timestamp` and `openssl ts -verify`.',
    operation: { name: 'GetBundleTimestamp', field: 'bundleTimestamp' },
    params: { id: 'bundle_id' },
    conflicts: true,
    answer: 'The time-stamp, or how far it is.',
  })(contract);
  return {
    ...route,
    otherMedia: { [TIMESTAMP_REPLY]: { schema: { type: 'string' }, description: 'TimeStampResp, DER.' } },
    handle: async (call) => {
      const found = (await route.handle(call)) as { readonly reply: string | null };
      if (!asksFor(call.accept, TIMESTAMP_REPLY)) return found;
      if (found.reply === null) {
        throw problem('CONFLICT', {
          message: 'The time-stamp has not been obtained yet.',
          retryAfterSeconds: ASK_AGAIN_SECONDS,
        });
      }
      return new StreamedAnswer(TIMESTAMP_REPLY, [Buffer.from(found.reply, 'base64')]);
    },
  };
}
