import { internalContext } from '../../shared/auth/context.js';
import type { ExceptionDesk } from '../../shared/contracts/exceptions.js';
import type { SubgraphClient } from '../subgraph-client.js';

const OPEN =
  'mutation OpenException($kind: String!, $subject: JSON!, $detail: JSON!) { openException(kind: $kind, subject: $subject, detail: $detail) }';

const RESOLVE =
  'mutation ResolveStandingException($kind: String!, $subject: JSON!, $note: String!) { resolveStandingException(kind: $kind, subject: $subject, note: $note) }';

const HAS = 'query HasException($exception_id: String!) { hasException(exception_id: $exception_id) }';

/**
 * The ledger's desk of exceptions, for the other parts of the service.
 *
 * @param ledger client of the ledger subgraph.
 * @param caller the process or part that opens them.
 */
export const exceptionDeskOver = (ledger: SubgraphClient, caller: string): ExceptionDesk => ({
  async open(tenantId, { kind, subject, detail }) {
    await ledger.run(OPEN, { kind, subject, detail }, internalContext(tenantId, caller));
  },
  async resolve(tenantId, kind, subject, note) {
    await ledger.run(RESOLVE, { kind, subject, note }, internalContext(tenantId, caller));
  },
  async has(tenantId, exceptionId) {
    const { hasException } = await ledger.run(HAS, { exception_id: exceptionId }, internalContext(tenantId, caller));
    return hasException === true;
  },
});
