import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { Browser, CALLBACK, CLIENT, startProvider, type TestProvider } from './sign-in-provider.js';

// Persons sign in to the console at a real OpenID Connect provider.

let provider: TestProvider;
let service: WholeService;
let tenant: string;
let admin: Http;
beforeAll(async () => {
  // The provider of the test warns of its keys and its store, which are for tests.
  for (const level of ['warn', 'info'] as const) jest.spyOn(console, level).mockImplementation(() => undefined);
  provider = await startProvider();
  service = await startWholeService({
    SERVICE_OIDC_ISSUER: provider.issuer,
    SERVICE_OIDC_CLIENT_ID: CLIENT.client_id,
    SERVICE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    SERVICE_OIDC_REDIRECT_URL: CALLBACK,
    SERVICE_OIDC_TENANT_CLAIM: 'tenant',
  });
  const fresh = await freshTenant(service.operator, ['admin']);
  admin = fresh.http;
  tenant = fresh.tenantId;
}, 240_000);
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

let people = 0;
const newPerson = () => {
  people += 1;
  return { sub: `person-${people}`, email: `Person.${people}@example.org`, email_verified: true, tenant };
};

const actorOf = async (members: object): Promise<string> =>
  (await admin.post('/v1/actors', { name: 'Jordan Reyes', role_ids: ['analyst'], ...members })).json.actor_id;

/** Signs in, and returns where the browser ends. */
async function signIn(place = '/console'): Promise<{ browser: Browser; url: URL }> {
  const browser = new Browser(service.operator.url);
  const { url } = await browser.open(
    `/console/sign-in/oidc?return_to=${encodeURIComponent(place)}`,
    ({ pathname }) => pathname.startsWith('/console') && !pathname.startsWith('/console/sign-in/'),
  );
  return { browser, url };
}

const ask = (browser: Browser, path: string) =>
  service.operator.as(null).call(path, { headers: { cookie: browser.header, origin: service.operator.url } });

describe('signing in at a provider', () => {
  it('opens a session with the roles of the actor whose verified e-mail address the person has', async () => {
    const person = newPerson();
    const actor = await actorOf({ email: person.email.toLowerCase() });
    provider.person = person;
    const { browser, url } = await signIn('/console/members?tab=all');
    expect(`${url.pathname}${url.search}`).toBe('/console/members?tab=all');
    expect([...browser.cookies.keys()]).toEqual(['eas_session']);
    const caller = await ask(browser, '/v1/session');
    expect(caller.json).toMatchObject({ tenant_id: tenant, key_id: actor, actor_id: actor, key_name: 'Jordan Reyes' });
    expect(caller.json.scopes).toContain('events:read');
    expect((await ask(browser, '/v1/events')).status).toBe(200);
    expect((await ask(browser, '/v1/actors')).status).toBe(403);
    // The ledger and the list of sessions name the person by the actor.
    const { items } = (await admin.get('/v1/sessions')).json;
    expect(items).toContainEqual(
      expect.objectContaining({ key_id: actor, key_name: 'Jordan Reyes', status: 'ACTIVE' }),
    );
    const opened = (await admin.get('/v1/events?source_system=_platform&event_type=session.opened')).json.items;
    expect(JSON.stringify(opened)).toContain(actor);
    expect(JSON.stringify(opened)).not.toContain('@example.org');
  });

  it('finds the actor by its subject, also under another e-mail address', async () => {
    const person = newPerson();
    const actor = await actorOf({ subject: person.sub, email: 'someone.else@example.org' });
    provider.person = person;
    expect((await ask((await signIn()).browser, '/v1/session')).json.key_id).toBe(actor);
  });

  it('ends at once with the suspension of the actor, and follows its roles', async () => {
    const person = newPerson();
    const actor = await actorOf({ subject: person.sub });
    provider.person = person;
    const { browser } = await signIn();
    expect((await ask(browser, '/v1/events')).status).toBe(200);
    await admin.call(`/v1/actors/${actor}/roles/analyst`, { method: 'DELETE' });
    expect((await ask(browser, '/v1/events')).status).toBe(403);
    await admin.call(`/v1/actors/${actor}`, { method: 'PATCH', body: { status: 'SUSPENDED' } });
    expect((await ask(browser, '/v1/session')).status).toBe(401);
  });

  it.each<[string, (person: ReturnType<typeof newPerson>) => Promise<object>]>([
    ['whom no actor names', async (person) => person],
    [
      'whose e-mail address is not verified',
      async (person) => {
        await actorOf({ email: person.email.toLowerCase() });
        return { ...person, email_verified: false };
      },
    ],
    [
      'whose e-mail address belongs to an actor with another subject',
      async (person) => {
        await actorOf({ email: person.email.toLowerCase(), subject: 'another' });
        return person;
      },
    ],
    [
      'whom two actors name',
      async (person) => {
        await actorOf({ email: person.email.toLowerCase() });
        await actorOf({ email: person.email.toLowerCase() });
        return person;
      },
    ],
    [
      'whose actor is suspended',
      async (person) => {
        const actor = await actorOf({ subject: person.sub });
        await admin.call(`/v1/actors/${actor}`, { method: 'PATCH', body: { status: 'SUSPENDED' } });
        return person;
      },
    ],
    [
      'of an unknown tenant',
      async (person) => {
        await actorOf({ subject: person.sub });
        return { ...person, tenant: 'nowhere' };
      },
    ],
    [
      'of no tenant',
      async (person) => {
        await actorOf({ subject: person.sub });
        return { ...person, tenant: undefined };
      },
    ],
  ])('opens nothing for a person %s', async (_, arrange) => {
    const arranged = await arrange(newPerson());
    provider.person = arranged as ReturnType<typeof newPerson>;
    const { browser, url } = await signIn('/console/members');
    expect(`${url.pathname}${url.search}`).toBe('/console/members?sign_in=unknown_person');
    expect([...browser.cookies.keys()]).toEqual([]);
  });

  it('opens nothing where the provider refuses', async () => {
    provider.person = null;
    const { browser, url } = await signIn();
    expect(url.search).toBe('?sign_in=refused');
    expect([...browser.cookies.keys()]).toEqual([]);
  });

  it('opens nothing for the answer of another browser, for a repeated one, or for a forged state', async () => {
    const person = newPerson();
    await actorOf({ subject: person.sub });
    provider.person = person;
    const victim = new Browser(service.operator.url);
    const attacker = new Browser(service.operator.url);
    const isCallback = ({ pathname }: URL): boolean => pathname.endsWith('/callback');
    const { url } = await attacker.open('/console/sign-in/oidc', isCallback);
    const isPlace = ({ pathname }: URL): boolean => pathname === '/console';
    expect((await victim.open(url.href, isPlace)).url.search).toBe('?sign_in=expired');
    await victim.open('/console/sign-in/oidc', isCallback);
    expect((await victim.open(url.href, isPlace)).url.search).toBe('?sign_in=refused');
    const own = await attacker.open(url.href, isPlace);
    expect(own.url.search).toBe('');
    expect((await attacker.open(url.href, isPlace)).url.search).toBe('?sign_in=expired');
    expect([...victim.cookies.keys()]).toEqual([]);
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', '/v1/events', '/console.evil', '/console/x#y'])(
    'never leads to %s',
    async (place) => {
      const person = newPerson();
      await actorOf({ subject: person.sub });
      provider.person = person;
      expect((await signIn(place)).url.href).toBe(`${service.operator.url}/console`);
    },
  );

  it('binds a person only to roles that the caller holds', async () => {
    const keys = await admin.post('/v1/api-keys', { name: 'k', scopes: ['admin'] });
    expect(keys.status).toBe(200);
    const role = await admin.post('/v1/roles', { name: 'unredacted', scopes: ['documents:unredacted'] });
    // An administrator does not hold the scope, so it can neither make the role nor bind a person to it.
    expect(role.status).toBe(403);
    const held = await service.operator.post('/v1/roles', {
      tenant_id: tenant,
      name: 'unredacted',
      scopes: ['documents:unredacted'],
    });
    const actor = await service.operator.post('/v1/actors', {
      tenant_id: tenant,
      name: 'x',
      role_ids: [held.json.role_id],
    });
    const bound = await admin.call(`/v1/actors/${actor.json.actor_id}`, {
      method: 'PATCH',
      body: { email: 'me@example.org' },
    });
    expect(bound.status).toBe(403);
  });
});

describe('roles from claims', () => {
  it('count alone where a claim is configured, and never make an operator', async () => {
    const other = await startWholeService({
      SERVICE_OIDC_ISSUER: provider.issuer,
      SERVICE_OIDC_CLIENT_ID: CLIENT.client_id,
      SERVICE_OIDC_CLIENT_SECRET: CLIENT.client_secret,
      SERVICE_OIDC_REDIRECT_URL: CALLBACK,
      SERVICE_OIDC_TENANT: 'claims-tenant',
      SERVICE_OIDC_ROLES_CLAIM: 'groups',
      SERVICE_OIDC_ROLES: 'the analysts=analyst,root=operator',
    });
    try {
      await other.operator.post('/v1/tenants', { tenant_id: 'claims-tenant', name: 'Claims' });
      const actor = { tenant_id: 'claims-tenant', name: 'A', subject: 'claims-1', role_ids: ['auditor'] };
      await other.operator.post('/v1/actors', actor);
      const scopesWith = async (groups: readonly string[]): Promise<string[]> => {
        provider.person = { sub: 'claims-1', groups };
        const browser = new Browser(other.operator.url);
        await browser.open('/console/sign-in/oidc', ({ pathname }) => pathname === '/console');
        return (await other.operator.as(null).get('/v1/session', { cookie: browser.header })).json.scopes;
      };
      expect(await scopesWith(['the analysts', 'others'])).toContain('graph:query');
      const ofAnyKey = ['ava-access:write', 'member-auth:write', 'webhooks:own'];
      expect(await scopesWith(['others', 'root'])).toEqual(ofAnyKey);
    } finally {
      await other.stop();
    }
  });
});
