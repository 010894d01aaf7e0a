import type { Config } from '../config/config.js';
import { urlJudge } from '../http/safe-connect/judge-url.js';
import { safeReader } from '../http/safe-connect/safe-reader.js';
import type { AskAuthority } from './obtain-stamp.js';
import { TIMESTAMP_QUERY, TIMESTAMP_REPLY } from './time-stamp.js';

/** A token with the certificates of its authority takes about 6 KB. */
const MAX_REPLY_BYTES = 65_536;
const TIMEOUT_MS = 20_000;

/** RFC 3161 section 3.4 over HTTP; null if the deployment names no authority. */
export function tsaClient({ url, targets }: Pick<Config['timestamps'], 'url' | 'targets'>): AskAuthority | null {
  if (url === null) return null;
  const checked = urlJudge(targets)(url);
  const read = safeReader({ policy: targets });
  return async (query, signal) => {
    if ('refused' in checked) return { failure: 'refused_address' };
    const answer = await read({
      target: checked.target,
      headers: { 'content-type': TIMESTAMP_QUERY, accept: TIMESTAMP_REPLY },
      body: query,
      maxBytes: MAX_REPLY_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    if ('failure' in answer) return { failure: answer.failure };
    return answer.status === 200 ? { reply: answer.body } : { failure: `http_${answer.status}` };
  };
}
