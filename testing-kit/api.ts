import type { ApiClient } from '../client/client.js';

// What the testing kit promises, without a line of the service: this is what `evidentiary-audit-service/testing-kit` is
// typed by.

export type { ApiClient } from '../client/client.js';

/** A clock that stands until it is moved; everything the service dates, and everything that expires, goes by it. */
export interface TestClock {
  /** ISO 8601, UTC. */
  readonly now: string;
  advance(ms: number): void;
}

export interface StartOptions {
  /** Time at which the service's clock stands (ISO 8601); without it the service goes by the machine's clock. */
  readonly now?: string;
  /** Scopes of the tenant's key; `['admin']` unless told. */
  readonly scopes?: readonly string[];
  /** Name of the tenant; `test-tenant` unless told. */
  readonly tenantId?: string;
  /** Settings by their names in the README, on top of the kit's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A tenant, a key of it, and a typed client under that key. */
export interface TestTenant {
  readonly tenantId: string;
  readonly apiKey: string;
  readonly client: ApiClient;
}

/** The whole service in this process, on a throw-away database. */
export interface TestService extends TestTenant {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** A platform operator's key: may name any tenant. */
  readonly operatorKey: string;
  /** Present when `now` was given. */
  readonly clock: TestClock | undefined;
  /** Another tenant, so that a test shares nothing with the next. */
  newTenant(options?: Pick<StartOptions, 'tenantId' | 'scopes'>): Promise<TestTenant>;
  /** Ends the service and throws its database away. */
  stop(): Promise<void>;
}

/** Starts the service; rate limits are off and its log is silent. */
export type StartService = (options?: StartOptions) => Promise<TestService>;

export declare const startService: StartService;
