import { ADDRCONFIG, lookup, NODATA, NOTFOUND, promises, REFUSED } from 'node:dns';
import { promisify } from 'node:util';
import { errorCodeOf } from '../../errors/error-code.js';

/** Every address of a name, both families. @throws with a DNS code when there is none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
/** Answers of a name server that speaks and knows no such name; the machine's own tables may. */
const ASK_SYSTEM = new Set<string>([NOTFOUND, NODATA, REFUSED, 'ECONNREFUSED', 'EBADNAME']);

const lookupAll = promisify(lookup);

/**
 * Resolves names by the name server, without the thread pool, so that a silent name server delays only its own names.
 * Names unknown to the server are resolved as the system does (hosts file, search domains).
 */
export function systemResolver(): ResolveHost {
  const resolver = new promises.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    if (failures.some((error) => !ASK_SYSTEM.has(errorCodeOf(error)))) throw failures[0];
    const found = await lookupAll(hostname, { all: true, hints: ADDRCONFIG });
    return found.map(({ address }) => address);
  };
}
