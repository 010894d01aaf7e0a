import { graphql } from 'graphql';
import { callerOver } from '../../../gateway/caller.js';
import { LocalDataSource } from '../../../gateway/local-data-source.js';
import { servicePorts } from '../../../gateway/ports/service-ports.js';
import type { RequestContext } from '../../../shared/auth/context.js';
import { effectiveScopes, type Scope } from '../../../shared/auth/scopes.js';
import type { Custody } from '../../../shared/contracts/custody.js';
import type { ExceptionDesk } from '../../../shared/contracts/exceptions.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { recordingLogger } from '../../support/fakes.js';
import { GraphFault, type LedgerProcess, TENANT } from '../ledger-kit.js';

/** Who asks: a key of the tenant, with scopes of the test's choice. */
export interface Asking {
  readonly tenant?: string;
  readonly scopes?: readonly Scope[];
  readonly actorId?: string;
  readonly workId?: string;
}

export const KEY_ID = 'key_01JQ0000000000000000000001';

/** Runs an operation of the ledger for a key. @throws GraphFault */
export async function ask(
  process: LedgerProcess,
  source: string,
  variableValues: Record<string, unknown> = {},
  { tenant = TENANT, scopes = ['admin'], actorId, workId }: Asking = {},
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge
): Promise<any> {
  const contextValue: RequestContext = {
    requestId: 'req_01JQ0000000000000000000001',
    traceparent: null,
    workId: workId ?? null,
    tenantId: tenant as TenantId,
    principal: {
      keyId: KEY_ID,
      keyName: 'test',
      actorId: actorId ?? null,
      tenantId: tenant as TenantId,
      grantedScopes: scopes,
      scopes: effectiveScopes(scopes),
    },
  };
  const { data, errors } = await graphql({ schema: process.ledger.schema, source, variableValues, contextValue });
  const first = errors?.[0];
  if (first) throw new GraphFault((first.originalError ?? first) as ConstructorParameters<typeof GraphFault>[0]);
  return data;
}

/** The ports over this ledger, as other parts of the service hold them. */
export function portsOver(process: LedgerProcess): { readonly custody: Custody; readonly desk: ExceptionDesk } {
  const sources = new Map([['ledger' as const, new LocalDataSource(process.ledger.schema, recordingLogger().logger)]]);
  const ids = ulidIds(() => process.clock.nowMs(), systemRandomness());
  const { custody, exceptions } = servicePorts(callerOver(sources, 'test'), ids);
  return { custody, desk: exceptions };
}
