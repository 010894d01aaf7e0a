import type { ApiClient } from '../client/client.js';

// The public types of `evidentiary-audit-service/testing-kit`, without imports from the service.

export type { ApiClient } from '../client/client.js';

/** A clock that only moves on `advance`. The service uses it for all dates and expiries. */
export interface TestClock {
  /** ISO 8601, UTC. */
  readonly now: string;
  advance(ms: number): void;
}

export interface TenantOptions {
  /** Id of the tenant. */
  readonly tenantId?: string;
  /** Scopes of the tenant's key; defaults to `['admin']`. */
  readonly scopes?: readonly string[];
}

/** `tenantId` defaults to `test-tenant`. */
export interface StartOptions extends TenantOptions {
  /** Fixed time of the service's clock (ISO 8601); without it the service uses the machine's clock. */
  readonly now?: string;
  /** Settings by their names in the README; they override the kit's settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A tenant with an API key and a typed client under that key. */
export interface TestTenant {
  readonly tenantId: string;
  readonly apiKey: string;
  readonly client: ApiClient;
}

/** All that another process needs to join a service. */
export interface ServiceAddress {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** A platform operator's key: may name any tenant. */
  readonly operatorKey: string;
}

/** A tenant of a service that this or another process started. */
export interface JoinedService extends TestTenant, ServiceAddress {
  /** Creates another tenant, so that tests share no data. */
  newTenant(options?: TenantOptions): Promise<TestTenant>;
}

/** The whole service in this process, on a temporary database. */
export interface TestService extends JoinedService {
  /** Present if `now` was given. */
  readonly clock: TestClock | undefined;
  /** Stops the service and deletes its database. */
  stop(): Promise<void>;
}

/** Starts the service without rate limits and with a silent log. */
export type StartService = (options?: StartOptions) => Promise<TestService>;

export declare const startService: StartService;

/** Makes a tenant with a random id of a service that runs, so that suites in several processes share one start. */
export type JoinService = (service: ServiceAddress, options?: TenantOptions) => Promise<JoinedService>;

export declare const joinService: JoinService;
