/** What the demonstration reads of the answers; the whole contract is in /v1/openapi.json. */
export interface EventItem {
  readonly event_id: string;
  readonly event_family: string;
  readonly event_type: string;
  readonly event_effective_timestamp: string;
  readonly source_system: string;
  readonly sequence: number;
  readonly outcome?: string;
  readonly payload?: { readonly carc?: readonly string[] };
}

export interface IngestAnswer {
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
  readonly exceptions: readonly unknown[];
}

export interface VerifyAnswer {
  readonly valid: boolean;
  readonly checked: number;
  readonly partitions: readonly { source_system: string; checked: number; head_hash: string }[];
  readonly breaks: readonly unknown[];
  readonly not_checked: readonly { what: string; why: string }[];
}

/** A client as an integrator would write one: fetch, a key, JSON. */
export class DemoClient {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  withKey(key: string): DemoClient {
    return new DemoClient(this.#url, key);
  }

  get<T>(path: string): Promise<T> {
    return this.#send<T>('GET', path);
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#send<T>('POST', path, JSON.stringify(body), 'application/json');
  }

  postBytes<T>(path: string, body: Uint8Array, contentType: string): Promise<T> {
    return this.#send<T>('POST', path, body, contentType);
  }

  async postForm<T>(path: string, form: FormData): Promise<T> {
    const response = await this.#fetch('POST', path, form);
    // As above.
    return (await response.json()) as T;
  }

  /** Sends bytes that the service may refuse. @returns the status */
  async tryBytes(path: string, body: Uint8Array, contentType: string): Promise<number> {
    const headers = { 'x-api-key': this.#key, 'content-type': contentType };
    return (await fetch(`${this.#url}${path}`, { method: 'POST', headers, body })).status;
  }

  async getBytes(path: string): Promise<Uint8Array> {
    const response = await this.#fetch('GET', path);
    return new Uint8Array(await response.arrayBuffer());
  }

  async #send<T>(method: string, path: string, body?: string | Uint8Array, contentType?: string): Promise<T> {
    const response = await this.#fetch(method, path, body, contentType);
    // The demonstration trusts the service that it started.
    return (await response.json()) as T;
  }

  async #fetch(
    method: string,
    path: string,
    body?: string | Uint8Array | FormData,
    contentType?: string,
  ): Promise<Response> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { 'x-api-key': this.#key, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
      ...(body === undefined ? {} : { body }),
    });
    if (response.ok) return response;
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  }
}
