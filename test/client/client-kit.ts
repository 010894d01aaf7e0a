import { type ApiClient, createApiClient, unwrap, waitForSealed } from '../../client/index.js';
import { eventOf } from '../bundles/bundles-kit.js';
import { freshTenant, type Http } from '../support/http.js';
import type { WholeService } from '../support/whole-service.js';
import { type Fault, type FaultyProxy, startFaultyProxy } from './faulty-proxy.js';

/** Waits of retries: noted, not waited. */
export interface NotedWaits {
  readonly waits: number[];
  readonly wait: (milliseconds: number) => Promise<void>;
}

export function notedWaits(): NotedWaits {
  const waits: number[] = [];
  return { waits, wait: async (milliseconds) => void waits.push(milliseconds) };
}

export interface Caller {
  readonly tenantId: string;
  readonly http: Http;
  readonly client: ApiClient;
}

export async function freshCaller(service: WholeService): Promise<Caller> {
  const { tenantId, http } = await freshTenant(service.operator, ['admin']);
  return { tenantId, http, client: createApiClient({ baseUrl: http.url, apiKey: http.key ?? '' }) };
}

export interface FaultyCaller extends NotedWaits {
  readonly client: ApiClient;
  readonly proxy: FaultyProxy;
}

/** The same key behind a proxy with faults. */
export async function throughFaults(http: Http, on: RegExp, faults: readonly Fault[]): Promise<FaultyCaller> {
  const noted = notedWaits();
  const proxy = await startFaultyProxy(http.url, on, faults);
  const client = createApiClient({ baseUrl: proxy.url, apiKey: http.key ?? '', retry: { wait: noted.wait } });
  return { ...noted, client, proxy };
}

/** Records events of a member and seals its bundle. @returns the bundle's id */
export async function sealedBundle({ client }: Caller, memberId: string): Promise<string> {
  const events = [1, 2, 3].map((n) => ({ ...eventOf(memberId, n), source_record_id: `${memberId}-${n}` }));
  await unwrap(client.POST('/v1/events', { body: { events } }));
  const { bundle_id } = await unwrap(client.POST('/v1/bundles', { body: { scope: { member_id: memberId } } }));
  await waitForSealed(client, bundle_id, { pollMs: 50 });
  return bundle_id;
}
