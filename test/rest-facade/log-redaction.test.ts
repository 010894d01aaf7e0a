import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { createLogger } from '../../shared/telemetry/logger.js';
import { envelope } from '../support/envelopes.js';
import { freshTenant, type Http } from '../support/http.js';
import { type EdgeKit, edgeKit, keyed } from './edge-kit.js';

// The whole service over every fixture and sample there is, at the most talkative level; then its log is searched.

const FOLDERS = [
  ...['x12', 'fhir', 'hl7v2', 'ncpdp'].map((format) => `test/ledger/formats/${format}/fixtures`),
  'app/demo/files',
  '../shared/samples',
].map(repositoryFile);
/** Spread over all there are; `npm run test:long` takes more. */
const MAX_FILES = Number(process.env['LOG_REDACTION_FILES'] ?? 20);

const filesIn = (folder: string): string[] =>
  !existsSync(folder)
    ? []
    : readdirSync(folder)
        .map((name) => join(folder, name))
        .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]))
        .filter((path) => statSync(path).size < 500_000);

const ALL_FILES = FOLDERS.flatMap(filesIn);
const FILES = ALL_FILES.filter((_, n) => n % Math.ceil(ALL_FILES.length / MAX_FILES) === 0);

/** Names of people, identifiers, birth dates and streets in an X12 message, whatever its separators. */
function personalIn(text: string): string[] {
  const element = text.startsWith('ISA') ? text.charAt(3) : '*';
  const found: string[] = [];
  for (const segment of text.split(/[~\r\n]+/)) {
    const [id, ...rest] = segment.trim().split(element);
    if (id === 'NM1' && ['IL', 'QC', '74'].includes(rest[0] ?? '')) found.push(...rest.slice(2, 4), rest[8] ?? '');
    if (id === 'DMG') found.push(rest[1] ?? '');
    if (id === 'N3') found.push(rest[0] ?? '');
    if (id === 'REF' && rest[0] === 'SY') found.push(rest[1] ?? '');
  }
  return found;
}

/** Short words may occur anywhere and identify no person. */
const telling = (values: Iterable<string>): string[] => [...new Set(values)].filter((value) => value.length >= 5);

let kit: EdgeKit;
let operator: Http;
const personal: string[] = [];
const secrets: string[] = [];

beforeAll(async () => {
  kit = await edgeKit();
  operator = (await kit.start({ SERVICE_RATE_LIMIT_PER_MINUTE: '0' })).operator;
  secrets.push(operator.key ?? '');
  const { http, tenantId } = await freshTenant(operator, ['admin']);
  secrets.push(http.key ?? '');
  for (const path of FILES) await postFile(http, path);
  await postPeople(http, tenantId);
  await readBack(http);
}, 300_000);
afterAll(() => kit.stop());

async function postFile(http: Http, path: string): Promise<void> {
  const bytes = readFileSync(path);
  personal.push(...personalIn(bytes.toString('latin1')));
  const types = ['application/edi-x12', 'application/octet-stream', 'application/json'];
  for (const type of types) await http.post('/v1/ingest/raw?source_system=samples', bytes, { 'content-type': type });
  await http.post('/v1/events', bytes, { 'content-type': 'application/json', ...keyed() });
}

/** People as events and leads hold them, and a secret made and revoked. */
async function postPeople(http: Http, tenantId: string): Promise<void> {
  const member_id = 'M-REDACT-4711';
  const rationale = 'Mrs Redactable asked about her knee.';
  const contact = { name: 'Petra Redactable', email: 'petra@redactable.test' };
  personal.push(member_id, rationale, contact.name, contact.email);
  await http.post('/v1/events', envelope('redact', { member_id, payload: { rationale } }));
  await http.post('/v1/events', envelope('redact', { member_id, payload: { rationale, carc: member_id } }));
  await http.post('/v1/events', [{ member_id, [member_id]: rationale }]);
  await http.post('/v1/leads', { lead_type: 'FRAUD_TIP', source: 'web', contact, summary: rationale });
  await http.post('/v1/leads', { lead_type: member_id, contact: rationale });
  const key = await http.post('/v1/api-keys', { tenant_id: tenantId, name: 'k', scopes: ['events:read'] }, keyed());
  secrets.push(key.json.api_key as string);
  await http.as(key.json.api_key as string).get('/v1/events');
  await http.call(`/v1/api-keys/${key.json.key_id}`, { method: 'DELETE' });
  await http.as(key.json.api_key as string).get('/v1/events');
  await http.as(`eas_live_${member_id}`).get('/v1/events');
}

async function readBack(http: Http): Promise<void> {
  const page = await http.get('/v1/events?limit=500');
  for (const { member_id } of page.json.items as { member_id?: string }[]) {
    if (member_id !== undefined) personal.push(member_id);
  }
  await http.get('/v1/events?member_id=M-REDACT-4711&nonsense=Redactable');
  await http.get('/v1/events/M-REDACT-4711');
  await http.post('/graphql', { query: '{ events(member_id: "M-REDACT-4711") { items { nonsense } } }' });
  await http.get('/v1/ledger/verify');
  // Errors of the driver are logged too: a database that goes away while people are asked for.
  await kit.server.stop();
  await http.get('/v1/events?member_id=M-REDACT-4711');
  await http.post('/v1/events', envelope('redact-2', { member_id: 'M-REDACT-4711' }), keyed());
}

describe('the log of a whole run', () => {
  it('contains every kind of line', () => {
    const log = kit.log();
    expect(FILES.length).toBeGreaterThan(15);
    expect(telling(personal).length).toBeGreaterThan(20);
    for (const text of ['"msg":"request"', '"status":200', '"status":400', '"status":401', '"level":50']) {
      expect(log).toContain(text);
    }
  });

  it('contains no personal data of any fixture or sample', () => {
    const log = kit.log();
    expect(telling(personal).filter((value) => log.includes(value))).toEqual([]);
  });

  it('contains no key or secret', () => {
    const log = kit.log();
    expect(secrets.length).toBeGreaterThan(2);
    expect(secrets.filter((value) => log.includes(value))).toEqual([]);
  });
});

describe('the second filter', () => {
  it('removes members that a library might attach, by name, at the top and one level deep', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
    logger.info({ member_id: 'M-1', lead: { email: 'a@b.test', status: 'NEW' }, authorization: 'Bearer x' }, 'said');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      member_id: '[redacted]',
      lead: { email: '[redacted]', status: 'NEW' },
      authorization: '[redacted]',
    });
  });
});
