import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Answer, Http } from '../support/http.js';
import type { Description, Operation, Parameter } from './operations.js';
import { fitting, type Schema } from './schema-arbitrary.js';

/** The parts of one request. */
export interface Sent {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Drives operations of the description against a running service, and judges answers by the description alone. */
export class Driver {
  readonly description: Description;
  readonly #http: Http;
  readonly #tenantId: string;
  readonly #ids = new Map<string, string[]>();
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<Schema, ValidateFunction>();
  /** Answers judged, by operation and status class. */
  readonly counts = { requests: 0, accepted: new Set<string>() };

  constructor(description: Description, http: Http, tenantId: string) {
    this.description = description;
    this.#http = http;
    this.#tenantId = tenantId;
    this.#ajv = new Ajv2020({ strict: false, allowUnionTypes: true });
    for (const format of ['date-time', 'date', 'uri', 'binary']) this.#ajv.addFormat(format, true);
    this.#ajv.addSchema({ $id: 'doc', components: { schemas: description.schemas } });
  }

  /** Requests that fit the description in every part; many identifiers belong to existing records. */
  valid(operation: Operation): fc.Arbitrary<Sent> {
    const { schemas } = this.description;
    const of = (place: Parameter['in']) => operation.parameters.filter((one) => one.in === place);
    const path = fc.record(Object.fromEntries(of('path').map(({ name }) => [name, this.#identifier(operation, name)])));
    const query = fc.record(
      Object.fromEntries(
        of('query')
          .filter(({ name }) => name !== 'tenant_id' && name !== 'cursor')
          .map(({ name, schema }) => [name, fitting(schema, schemas)]),
      ),
      { requiredKeys: of('query').flatMap(({ name, required }) => (required ? [name] : [])) },
    );
    const body = operation.body ? fitting(operation.body, schemas) : fc.constant(undefined);
    return fc.record({ path, query, body: body.map((value) => this.ownTenant(operation, value)) });
  }

  async send(operation: Operation, sent: Sent, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    this.counts.requests += 1;
    const answer = await this.#http.call(this.address(operation, sent), {
      method: operation.method,
      headers: { 'x-tenant-id': this.#tenantId, ...headers },
      ...(sent.body === undefined ? {} : { body: plainOrJson(sent.body), headers: this.#bodyHeaders(headers) }),
    });
    if (answer.status < 300) this.counts.accepted.add(operation.operationId);
    this.#remember(operation, answer.json);
    return answer;
  }

  address(operation: Operation, { path, query }: Pick<Sent, 'path' | 'query'>): string {
    const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
    ).toString();
    return search ? `${filled}?${search}` : filled;
  }

  /** The faults of an answer by the description: status, media type, schema. */
  judge(operation: Operation, answer: Answer): string[] {
    const documented = operation.answers[String(answer.status)];
    if (!documented) return [`${answer.status} is not documented: ${answer.text.slice(0, 300)}`];
    if (answer.status === 304 || answer.text === '') return [];
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const schema = documented[type] ?? documented['*/*'];
    if (!schema) return [`${answer.status} in ${type} is not documented`];
    if (!type.includes('json')) return [];
    const validate = this.#validator(schema);
    if (validate(answer.json)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${answer.status} ${instancePath} ${message}`);
  }

  #bodyHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
    return { 'content-type': 'application/json', 'x-tenant-id': this.#tenantId, ...headers };
  }

  #validator(schema: Schema): ValidateFunction {
    const known = this.#validators.get(schema);
    if (known) return known;
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/')) as object;
    const made = this.#ajv.compile(absolute);
    this.#validators.set(schema, made);
    return made;
  }

  /** The address is of the driving tenant: whatever else the body says of a tenant would be refused for that alone. */
  ownTenant(operation: Operation, body: unknown): unknown {
    const namesTenant = typeof body === 'object' && body !== null && 'tenant_id' in body;
    return namesTenant && operation.path !== '/v1/tenants' ? { ...body, tenant_id: this.#tenantId } : body;
  }

  #identifier(operation: Operation, name: string): fc.Arbitrary<string> {
    const known = () => this.#ids.get(collectionOf(operation.path, name)) ?? [];
    const word = fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/).filter((it) => it !== '.' && it !== '..');
    return fc.tuple(fc.boolean(), fc.nat(), word).map(([stranger, index, text]) => {
      const ids = known();
      return stranger || ids.length === 0 ? text : (ids[index % ids.length] ?? text);
    });
  }

  /** Identifiers out of answers, kept by the collection that the path names. The driving tenant stays as it is. */
  #remember(operation: Operation, json: unknown): void {
    const collection = operation.path.split('/{')[0] ?? '';
    const records = [json, ...((json as { items?: unknown[] } | undefined)?.items ?? [])];
    for (const record of records) {
      if (typeof record !== 'object' || record === null) continue;
      const [id] = Object.entries(record)
        .filter(([name, value]) => (name.endsWith('_id') || name === 'key') && typeof value === 'string')
        .map(([, value]) => value as string);
      if (id === undefined || id === this.#tenantId || id.startsWith('req_')) continue;
      const ids = this.#ids.get(collection) ?? [];
      if (!ids.includes(id)) this.#ids.set(collection, [...ids, id].slice(-50));
    }
  }
}

const plainOrJson = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** `/v1/actors/{id}/roles/{role_id}`: `id` is of /v1/actors, `role_id` of /v1/roles. */
function collectionOf(path: string, parameter: string): string {
  const before = path.slice(0, path.indexOf(`/{${parameter}}`));
  return `/v1/${before.split('/').at(-1) ?? ''}`;
}
