import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { envelope } from '../support/envelopes.js';
import { freshTenant, type Http } from '../support/http.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';
import { Driver, type Sent } from './driver.js';
import { type End, endsOf, withEnd } from './ends.js';
import { type Operation, readDescription } from './operations.js';
import { fitting } from './schema-arbitrary.js';
import { unfitting } from './unfitting.js';

// Drives every operation of the served OpenAPI description with data made from its own schemas. A failure is shrunk and
// reported with its seed: CONTRACT_SEED and CONTRACT_RUNS repeat it.

const SEED = Number(process.env['CONTRACT_SEED'] ?? 20_260_302);
const RUNS = Number(process.env['CONTRACT_RUNS'] ?? 3);
const settings = { seed: SEED, numRuns: RUNS, endOnFailure: false };

let service: WholeService;
let driver: Driver;
let tenant: { tenantId: string; http: Http };
beforeAll(async () => {
  service = await startWholeService({ SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_FAILED_LOGINS_PER_MINUTE: '0' });
  tenant = await freshTenant(service.operator, ['admin']);
  const document = await service.operator.as(null).get('/v1/openapi.json');
  driver = new Driver(readDescription(document.json), service.operator, tenant.tenantId);
}, 300_000);
afterAll(async () => {
  const { requests, accepted } = driver.counts;
  const total = driver.description.operations.length;
  console.log(`contract: ${total} operations, ${requests} requests, ${accepted.size} operations accepted one`);
  await service.stop();
});

/** Every operation, each failing under its own name. */
async function each(check: (operation: Operation) => Promise<string[]>): Promise<void> {
  const failures: string[] = [];
  for (const operation of driver.description.operations) {
    const found = await check(operation);
    failures.push(...found.map((text) => `${operation.method} ${operation.path}: ${text}`));
  }
  expect(failures).toEqual([]);
}

/** Runs a property, and gives its shrunken counter-example as text. */
async function counterExample<T>(data: fc.Arbitrary<T>, faultsOf: (sent: T) => Promise<string[]>): Promise<string[]> {
  const details = await fc.check(
    fc.asyncProperty(data, async (sent) => {
      const faults = await faultsOf(sent);
      if (faults.length > 0) throw new Error(faults.join('; '));
    }),
    settings,
  );
  if (!details.failed) return [];
  const error = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  return [`${error} for ${JSON.stringify(details.counterexample).slice(0, 600)}`];
}

/** Codes of faults by which a checker refuses a value that is out of bounds. */
const BOUND_CODES: ReadonlySet<string> = new Set(['range', 'length', 'type', 'schema']);

/** Operations with numbers that the data bound too: no tree is larger than the ledger. */
const BOUNDED_BY_DATA: ReadonlySet<string> = new Set(['getConsistency']);

/** Operations that validate a body: they answer 200 for an invalid one. */
const JUDGES_BODIES = new Set(['validateEvent']);

/** Operations with an example that names a record, which must be one of this tenant. */
const NAMES_RECORD: ReadonlySet<string> = new Set(['draftRedaction', 'recordCustody']);

/** Names an event of this tenant in the example. */
async function ownSubject(operation: Operation, example: object): Promise<object> {
  if (!NAMES_RECORD.has(operation.operationId)) return example;
  const { json } = await tenant.http.post(
    '/v1/events',
    envelope('redacted', { payload: { rationale: 'Of a third.' } }),
  );
  return { ...example, subject: { kind: 'EVENT', id: json.event_id } };
}

/** Operations with an example of the form only, because they need a fresh secret or a page of this origin. */
const PROOFS = new Set(['verifyMemberAuth', 'refreshMemberAuth', 'verifyAvaAccess', 'openSession']);

/** Operations that make a record under a name: an event of an earlier example may have made it. */
const NAMES_NEW = new Set(['createMember']);

const refusal = (status: number): boolean => status >= 400 && status < 500;
const EMPTY: Pick<Sent, 'query'> = { query: {} };
const somewhere = (operation: Operation): Sent => ({
  ...EMPTY,
  path: Object.fromEntries(operation.parameters.filter((one) => one.in === 'path').map(({ name }) => [name, 'x'])),
  body: undefined,
});

describe('every operation of the description', () => {
  it('answers valid data as described, and never with a 5xx', async () => {
    // Twice: what the first round made is there for the second.
    for (let round = 0; round < 2; round += 1) {
      await each((operation) =>
        counterExample(driver.valid(operation), async (sent) => {
          const answer = await driver.send(operation, sent);
          if (answer.status >= 500) return [`${answer.status} ${answer.text}`];
          return driver.judge(operation, answer);
        }),
      );
    }
  }, 600_000);

  it('accepts both ends of every bounded number, text and list: the graph has the bounds of the contract', async () => {
    const { schemas } = driver.description;
    await each(async (operation) => {
      const base = await oneBody(operation);
      const { body: schema } = operation;
      const inBody = schema ? endsOf(schema, schemas, SEED) : [];
      const inQuery = operation.parameters.filter((one) => one.in === 'query' && one.name !== 'tenant_id');
      const sent: { readonly end: End; readonly query: Record<string, unknown>; readonly body: unknown }[] = [
        ...inBody.map((end) => ({ end, query: {}, body: schema && withEnd(base, schema, schemas, SEED, end) })),
        ...inQuery.flatMap(({ name, schema: of }) =>
          endsOf(of, schemas, SEED, [name]).map((end) => ({ end, query: { [name]: end.value }, body: base })),
        ),
      ];
      const faults: string[] = [];
      for (const { end, query, body } of sent) {
        const given = operation.body ? driver.ownTenant(operation, body) : undefined;
        const answer = await driver.send(operation, { ...somewhere(operation), query, body: given });
        const pointer = `/${end.path.join('/')}`;
        const refused = (answer.json?.errors ?? []).filter(
          ({ path, code }: { path: string; code: string }) => path === pointer && BOUND_CODES.has(code),
        );
        const isRefused = refused.length > 0 && !BOUNDED_BY_DATA.has(operation.operationId);
        if (answer.status >= 500 || isRefused) faults.push(`${answer.status} at ${end.why} of ${pointer}`);
      }
      return faults;
    });
  }, 600_000);

  it('accepts its own example', async () => {
    const document = (await service.operator.get('/v1/openapi.json')).json;
    await each(async (operation) => {
      const media =
        document.paths[operation.path][operation.method.toLowerCase()].requestBody?.content?.['application/json'];
      if (media?.example === undefined) return [];
      const answer = await driver.send(operation, {
        ...somewhere(operation),
        body: driver.ownTenant(operation, await ownSubject(operation, media.example)),
      });
      const misses = [404, 409].includes(answer.status) && operation.path.includes('{');
      const exists = answer.status === 409 && NAMES_NEW.has(operation.operationId);
      const proves = [401, 403].includes(answer.status) && PROOFS.has(operation.operationId);
      return answer.status < 300 || misses || exists || proves ? [] : [`${answer.status} ${answer.text}`];
    });
  });

  it('rejects an invalid body with the error object', async () => {
    await each(async (operation) => {
      const bad = operation.body && unfitting(operation.body, driver.description.schemas);
      if (!bad || JUDGES_BODIES.has(operation.operationId)) return [];
      return counterExample(fc.tuple(driver.valid(operation), bad), async ([sent, { why, value }]) => {
        const answer = await driver.send(operation, { ...sent, query: {}, body: value });
        return refusal(answer.status) ? driver.judge(operation, answer) : [`${answer.status} for ${why}`];
      });
    });
  }, 600_000);

  it('rejects invalid and unknown query parameters', async () => {
    await each(async (operation) => {
      const body = await oneBody(operation);
      const unknown = await driver.send(operation, { ...somewhere(operation), query: { no_such: '1' }, body });
      const faults = unknown.status === 400 ? [] : [`${unknown.status} for an unknown parameter`];
      for (const { name, in: place, schema } of operation.parameters) {
        if (place !== 'query' || name === 'tenant_id') continue;
        const bad = unfitting(schema, driver.description.schemas);
        if (!bad || schema.type === 'string') continue;
        faults.push(
          ...(await counterExample(bad, async ({ why, value }) => {
            const answer = await driver.send(operation, { ...somewhere(operation), query: { [name]: value }, body });
            return answer.status === 400 ? [] : [`${answer.status} for ${name}: ${why}`];
          })),
        );
      }
      return faults;
    });
  }, 300_000);

  it('returns 401 without a key and for an unknown one, unless it is open', async () => {
    await each(async (operation) => {
      const address = driver.address(operation, somewhere(operation));
      const faults: string[] = [];
      for (const key of [null, 'eas_live_unknown', 'x'.repeat(500)]) {
        const { status } = await service.operator.as(key).call(address, { method: operation.method });
        const open = operation.scope === 'none';
        if (open ? status === 401 && key === null : status !== 401) faults.push(`${status} with ${key?.slice(0, 20)}`);
      }
      return faults;
    });
  });

  it('returns 405 with Allow for other methods on its path', async () => {
    const failures: string[] = [];
    // A separate key, because earlier requests may have revoked every listed one.
    const { http } = await freshTenant(service.operator, ['admin']);
    for (const [path, methods] of Object.entries(driver.description.paths)) {
      for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
        if (methods.includes(method)) continue;
        const address = path.replaceAll(/\{\w+\}/g, 'x');
        // A literal segment may be the identifier of a sibling: /v1/signing-keys/jwks is /v1/signing-keys/{id} too.
        const sibling = path.replace(/[^/]+$/, '{id}');
        if (driver.description.paths[sibling]?.includes(method)) continue;
        const answer = await http.call(address, { method: method.toUpperCase() });
        const allow = answer.headers.get('allow')?.toLowerCase() ?? '';
        if (answer.status !== 405 || !methods.every((one) => allow.includes(one))) {
          failures.push(`${method} ${path}: ${answer.status}, Allow: ${allow}`);
        }
      }
    }
    expect(failures).toEqual([]);
  });

  it('rejects a body that is no JSON, and one of another media type', async () => {
    await each(async (operation) => {
      if (!operation.body || operation.mediaTypes.length !== 1) return [];
      const at = somewhere(operation);
      const broken = await driver.send(operation, { ...at, body: '{"a":' });
      const other = await driver.send(operation, { ...at, body: 'a,b' }, { 'content-type': 'text/csv' });
      return [
        ...(broken.status === 400 && broken.json.code === 'MALFORMED_BODY' ? [] : [`broken JSON: ${broken.text}`]),
        ...(other.status === 415 ? [] : [`text/csv: ${other.status} ${other.text}`]),
      ];
    });
  });

  it('rejects an Idempotency-Key that is neither a ULID nor a UUID, on every keyed POST', async () => {
    await each(async (operation) => {
      if (operation.method !== 'POST' || operation.scope === 'none') return [];
      const sent = { ...somewhere(operation), body: await oneBody(operation) };
      const answer = await driver.send(operation, sent, { 'idempotency-key': 'not-a-ulid' });
      return answer.status === 400 ? driver.judge(operation, answer) : [`${answer.status} ${answer.text}`];
    });
  });
});

/** One body that fits, the smallest that comes first. */
async function oneBody(operation: Operation): Promise<unknown> {
  if (!operation.body) return undefined;
  return fc.sample(fitting(operation.body, driver.description.schemas), { numRuns: 1, seed: SEED })[0];
}
