import { ADDRCONFIG, lookup, NODATA, NOTFOUND, promises, REFUSED } from 'node:dns';
import { promisify } from 'node:util';

/** Every address of a name, both families. @throws with a DNS code when there is none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;
/** Answers of a name server that speaks and knows no such name; the machine's own tables may. */
const ASK_SYSTEM = new Set<string>([NOTFOUND, NODATA, REFUSED, 'ECONNREFUSED', 'EBADNAME']);

const lookupAll = promisify(lookup);

/**
 * Names by the name server, without the pool of threads: whoever registers names whose server is silent holds up nobody
 * else's. What it does not know is looked up as the system does (hosts file, search domains).
 */
export function systemResolver(): ResolveHost {
  const resolver = new promises.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
    if (failures.some((error) => !ASK_SYSTEM.has(codeOf(error)))) throw failures[0];
    const found = await lookupAll(hostname, { all: true, hints: ADDRCONFIG });
    return found.map(({ address }) => address);
  };
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code ?? '');
