import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

// A real OpenID Connect provider, whose one page signs in the person that the test has chosen.

export const CALLBACK = 'http://127.0.0.1:1/console/sign-in/oidc/callback';
export const CLIENT = { client_id: 'evidence', client_secret: 'a-secret-of-the-client-for-tests' } as const;

interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
  readonly tenant?: string;
}

export interface TestProvider {
  readonly issuer: string;
  /** The person who signs in next; null refuses. */
  person: Person | null;
  stop(): Promise<void>;
}

/** @param callback where it leads a browser back to. */
export async function startProvider(callback: string = CALLBACK): Promise<TestProvider> {
  const state: { person: Person | null } = { person: null };
  const people = new Map<string, Person>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address with a port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [callback], grant_types: ['authorization_code'], response_types: ['code'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups', 'tenant'] },
    cookies: { keys: ['a-key-of-the-test-provider'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ ...people.get(id), sub: id }) }),
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return void handle(request, response);
    void interact(provider, state.person, people, request, response);
  });
  return {
    issuer,
    get person() {
      return state.person;
    },
    set person(person) {
      state.person = person;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

type Exchange = Parameters<Provider['interactionDetails']>;

async function interact(
  provider: Provider,
  person: Person | null,
  people: Map<string, Person>,
  request: Exchange[0],
  response: Exchange[1],
): Promise<void> {
  if (person === null) {
    return provider.interactionFinished(request, response, { error: 'access_denied' });
  }
  people.set(person.sub, person);
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: person.sub, clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  const result = { login: { accountId: person.sub }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** A browser without a page: it follows redirects by hand and keeps cookies by origin. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #service: string;

  constructor(service: string) {
    this.#service = service;
  }

  /** Cookies of the service by name, as last set. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies.get(this.#service) ?? new Map();
  }

  get header(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Opens an address and follows redirects up to one that `stop` holds. @returns the last address and its answer. */
  async open(address: string, stop: (url: URL) => boolean = () => false): Promise<{ url: URL; answer: Response }> {
    let url = new URL(address, this.#service);
    for (let hops = 0; hops < 12; hops += 1) {
      const answer = await this.get(url);
      const location = answer.headers.get('location');
      if (location === null) return { url, answer };
      url = this.#here(new URL(location, url));
      if (stop(url)) return { url, answer };
    }
    throw new Error('too many redirects');
  }

  async get(url: URL): Promise<Response> {
    const kept = this.#cookies.get(url.origin) ?? new Map<string, string>();
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '' || /max-age=0/i.test(line)) kept.delete(name);
      else kept.set(name, value);
    }
    this.#cookies.set(url.origin, kept);
    return answer;
  }

  /** The service listens on a port that its registered address cannot know beforehand. */
  #here(url: URL): URL {
    return url.origin === new URL(CALLBACK).origin ? new URL(`${url.pathname}${url.search}`, this.#service) : url;
  }
}
