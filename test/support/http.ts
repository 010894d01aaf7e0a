/** One request as a client makes it; tests judge status, headers and body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
  readonly json: any;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects go as JSON; strings and bytes go as they are. */
  readonly body?: unknown;
}

/** A client of one service under one key. */
export class Http {
  readonly url: string;
  readonly key: string | null;

  constructor(url: string, key: string | null) {
    this.url = url;
    this.key = key;
  }

  as(key: string | null): Http {
    return new Http(this.url, key);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call(path, { headers });
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call(path, { method: 'POST', body, headers });
  }

  async call(path: string, { method = 'GET', headers = {}, body }: Call): Promise<Answer> {
    const plain = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.key === null ? {} : { 'x-api-key': this.key }),
        ...(body === undefined || plain ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: plain ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text ? JSON.parse(text) : undefined,
    };
  }
}

let tenants = 0;

/** Creates a tenant for one test, and a key with the required scopes. */
export async function freshTenant(
  operator: Http,
  scopes: readonly string[] = ['events:read', 'events:write'],
): Promise<{ tenantId: string; http: Http; keyId: string }> {
  tenants += 1;
  const tenantId = `t-${process.pid}-${tenants}`;
  const made = await operator.post('/v1/tenants', { tenant_id: tenantId, name: `Tenant ${tenants}` });
  if (made.status !== 200) throw new Error(`no tenant: ${made.status} ${made.text}`);
  const key = await operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'test key', scopes });
  if (key.status !== 200) throw new Error(`no key: ${key.status} ${key.text}`);
  return { tenantId, http: operator.as(key.json.api_key as string), keyId: key.json.key_id as string };
}
