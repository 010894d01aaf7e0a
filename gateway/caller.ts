import { internalContext } from '../shared/auth/context.js';
import { type Call, parseAnswer } from '../shared/contracts/call.js';
import type { TenantId } from '../shared/ids/tenant.js';
import { subgraphClient } from './subgraph-client.js';
import type { SubgraphSources } from './subgraph-source.js';

/**
 * Makes a call to another subgraph.
 *
 * @param tenantId null for a call about no tenant.
 * @throws Problem: the subgraph's own; UNAVAILABLE when it cannot be reached or answers in the form of another version
 */
export type Caller = <I extends Readonly<Record<string, unknown>>, O>(
  call: Call<I, O>,
  tenantId: TenantId | null,
  input: I,
) => Promise<O>;

/**
 * @param sources looked up at each call, so that a port may be made before the subgraph that serves it.
 * @param service the process or part that calls; named in the logs of the serving subgraph.
 */
export const callerOver =
  (sources: SubgraphSources, service: string): Caller =>
  async (call, tenantId, input) => {
    const client = subgraphClient(sources, call.subgraph);
    const fields = await client.run(call.document, input, internalContext(tenantId, service));
    return parseAnswer(call, fields[call.name]);
  };
