import { describe, expect, it } from '@jest/globals';
import { fhirAdapter } from '../../../../subgraphs/ledger/formats/fhir/index.js';
import type { TransactionItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { codesOf, eventsOf, fixture, readBody, receivedAt, refusedOf } from './reading.js';

/** The reader's limits of a resource and of the held part of a Bundle. */
const RESOURCE_BYTES_LIMIT = 16 * 1024 * 1024;
const BUNDLE_HOLD_BYTES = 8 * 1024 * 1024;

const patient = (id: string): string =>
  `{"resourceType":"Patient","id":"${id}","identifier":[{"type":{"coding":[{"code":"MB"}]},"value":"M-${id}"}]}`;
const claim = (id: string, member: string): string =>
  `{"resourceType":"Claim","id":"${id}","status":"active","use":"claim","patient":{"reference":"Patient/${member}"},"created":"2026-03-01"}`;
const bundle = (...entries: string[]): string =>
  `{"resourceType":"Bundle","type":"collection","entry":[${entries.map((resource) => `{"resource":${resource}}`).join(',')}]}`;

async function membersOf(body: string | Buffer, strict = false): Promise<(string | undefined)[]> {
  return eventsOf(await readBody(body, { strict })).map(({ envelope }) => envelope.member_id);
}

async function refusalsOf(body: string | Buffer, strict = false): Promise<string[]> {
  return refusedOf(await readBody(body, { strict })).map(({ code }) => code);
}

const transactionOf = async (body: string): Promise<TransactionItem | undefined> =>
  (await readBody(body)).find((item) => item.kind === 'transaction');

describe('the splitter', () => {
  it('yields the same items for any chunks', async () => {
    for (const name of ['authorization-answer.json', 'transaction.json', 'lines.ndjson', 'shapes.ndjson']) {
      const body = fixture(name);
      const whole = await readBody(body);
      for (const size of [1, 7, 64, 1000]) {
        const chunks: Buffer[] = [];
        for (let at = 0; at < body.length; at += size) chunks.push(body.subarray(at, at + size));
        const limits = { segmentBytes: 1024, strictHoldBytes: 1 << 20, windowBytes: 1 };
        expect(await readBody(chunks, { limits })).toEqual(whole);
      }
    }
  });

  it('reads keys in any order: entries before the type and source of their Bundle', async () => {
    const body = `{"entry":[{"resource":${claim('c', 'p')},"fullUrl":"urn:x"}],"meta":{"source":"sorted"},"resourceType":"Bundle","type":"batch"}`;
    const [event] = eventsOf(await readBody(body));
    expect(event?.envelope).toMatchObject({ source_system: 'sorted', member_id: 'sorted|p' });
    expect((await transactionOf(body))?.transaction).toBe('Bundle/batch');
  });

  it('reads printed JSON, a UTF-8 mark, CR LF and record separators', async () => {
    const printed = JSON.stringify(JSON.parse(bundle(patient('a'), claim('c', 'a'))), null, 2);
    expect(await membersOf(`\ufeff\r\n${printed.replaceAll('\n', '\r\n')}\r\n`)).toEqual(['M-a', 'M-a']);
    expect(await membersOf(`\u001e${claim('c', 'a')}\n\u001e${claim('d', 'b')}\n`)).toEqual(['fhir|a', 'fhir|b']);
    expect(await membersOf(`${printed}\n${printed}`)).toEqual(['M-a', 'M-a', 'M-a', 'M-a']);
  });

  it('loses only the broken line', async () => {
    const broken = [
      claim('a', 'a'),
      `${claim('b', 'b').slice(0, 60)}`,
      claim('c', 'c'),
      '{"resourceType":"Claim"',
      'garbage',
      claim('d', 'd'),
      '',
    ];
    expect(await membersOf(broken.join('\n'))).toEqual(['fhir|a', 'fhir|c', 'fhir|d']);
    expect(await refusalsOf(broken.join('\n'))).toEqual(['RESOURCE_CUT', 'RESOURCE_CUT', 'NOT_JSON']);
    expect(await membersOf([claim('a', 'a').slice(0, -9), claim('b', 'b'), claim('c', 'c')].join('\n'))).toEqual([
      'fhir|b',
      'fhir|c',
    ]);
  });

  it('loses only the broken entry', async () => {
    const broken = claim('b', 'b').replace('"status":', '"status" ');
    const items = await readBody(bundle(claim('a', 'a'), broken, claim('c', 'c')));
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(['fhir|a', 'fhir|c']);
    expect(refusedOf(items)).toMatchObject([
      { code: 'NOT_JSON', index: 1, segment: 'Bundle.entry[1]', exceptionKind: 'PARSE_FAILED' },
    ]);
  });
});

describe('references', () => {
  it('are resolved by fullUrl, then by Type/id, in any order of entries', async () => {
    expect(await membersOf(bundle(claim('c', 'p'), patient('p')))).toEqual(['M-p', 'M-p']);
    const absolute = `{"resourceType":"Bundle","type":"batch","entry":[{"fullUrl":"http://a/fhir/Claim/c","resource":${claim('c', 'p')}},{"fullUrl":"http://b/fhir/Patient/p","resource":${patient('p').replace('M-p', 'OTHER')}},{"fullUrl":"http://a/fhir/Patient/p","resource":${patient('p')}}]}`;
    expect((await membersOf(absolute))[0]).toBe('M-p');
  });

  it('resolve to nothing if two resources have the name', async () => {
    expect(
      (await membersOf(bundle(claim('c', 'p'), patient('p'), patient('p').replace('M-p', 'OTHER'))))[0],
    ).toBeUndefined();
  });

  it('of a cut Bundle name no member if unresolved', async () => {
    const body = bundle(claim('c', 'p'), patient('p'));
    const items = await readBody(body.slice(0, body.indexOf('{"resource":{"resourceType":"Patient"') + 20));
    expect(eventsOf(items)[0]?.envelope.member_id).toBeUndefined();
    expect(codesOf(items)).toEqual(
      expect.arrayContaining(['REFERENCE_LOST', 'MEMBER_MISSING', 'BUNDLE_CUT', 'RESOURCE_CUT']),
    );
  });

  it('never resolve to an inherited property', async () => {
    expect(await membersOf('{"resourceType":"Claim","id":"c","patient":{"reference":"constructor"}}')).toEqual([
      undefined,
    ]);
    expect(await membersOf('{"resourceType":"constructor","id":"c"}')).toEqual([]);
    expect(await membersOf('{"__proto__":{"resourceType":"Claim"},"id":"c"}')).toEqual([]);
  });

  it('are resolved in a Bundle longer than the held part', async () => {
    const filler = `{"resourceType":"Basic","id":"f","x":"${'x'.repeat(1024 * 1024)}"}`;
    const entries = Array.from({ length: Math.ceil(BUNDLE_HOLD_BYTES / (1024 * 1024)) + 4 }, (_, at) => [
      claim(`c${at}`, 'p'),
      filler.replace('"Basic"', '"Claim"'),
    ]);
    const members = await membersOf(bundle(patient('p'), ...entries.flat()));
    expect(members.filter((member) => member === 'M-p')).toHaveLength(entries.length + 1);
  });
});

describe('Bundles in Bundles', () => {
  it('yield the events of their entries, each with its bytes', async () => {
    const body = bundle(bundle(claim('c', 'p'), patient('p')), claim('d', 'p'));
    const events = eventsOf(await readBody(body));
    expect(events.map(({ envelope }) => envelope.source_record_id)).toEqual(['Claim/c', 'Patient/p', 'Claim/d']);
    for (const { part } of events)
      expect(() => JSON.parse(body.slice(part.offset, part.offset + part.length))).not.toThrow();
  });
});

describe('rejected parts, with their place', () => {
  it.each([
    ['a key written twice', '{"resourceType":"Patient","id":"a","id":"b"}', 'DUPLICATE_KEY'],
    ['half a surrogate pair', '{"resourceType":"Patient","id":"\\ud83d"}', 'LONE_SURROGATE'],
    [
      '100,000 levels of objects',
      `{"resourceType":"Patient","a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`,
      'NESTED_TOO_DEEP',
    ],
    [
      '100,000 levels of lists',
      `{"resourceType":"Patient","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'NESTED_TOO_DEEP',
    ],
    ['100,000 levels that never end', `{"resourceType":"Patient","a":${'['.repeat(100_000)}`, 'RESOURCE_CUT'],
    ['no type', '{"id":"a"}', 'RESOURCE_TYPE_MISSING'],
    ['no type of FHIR', '{"resourceType":"Foo"}', 'RESOURCE_TYPE_UNKNOWN'],
    ['an answer of another system', '{"resourceType":"OperationOutcome"}', 'UNSUPPORTED_TRANSACTION'],
    ['not JSON', '{"resourceType":Patient}', 'NOT_JSON'],
    ['a NUL in a text', '{"resourceType":"Patient","id":"\u0000"}', 'NOT_JSON'],
    [
      'two lists of entries',
      '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"a"}}],"entry":[]}',
      'DUPLICATE_KEY',
    ],
    [
      'entries in no Bundle',
      '{"entry":[{"resource":{"resourceType":"Patient","id":"a"}}],"resourceType":"Claim"}',
      'NOT_A_BUNDLE',
    ],
  ])('%s', async (_, body, code) => {
    const items = await readBody(body);
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items).map((item) => item.code)).toEqual([code]);
    expect(refusedOf(items)[0]?.position).toMatchObject({ byteOffset: expect.any(Number) });
  });

  it('UTF-16 and bytes that are not UTF-8', async () => {
    expect(await refusalsOf(Buffer.from(`\ufeff${claim('a', 'a')}`, 'utf16le'))).toEqual(['UNSUPPORTED_ENCODING']);
    expect(await refusalsOf(Buffer.from(claim('a', 'a'), 'utf16le'))).toEqual(['UNSUPPORTED_ENCODING']);
    expect(await refusalsOf(Buffer.from('{"resourceType":"Patient","id":"\u00e9"}', 'latin1'))).toEqual([
      'UNSUPPORTED_ENCODING',
    ]);
  });

  it('rejects a resource above the limit without holding it, and reads the next', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const chunks = [
      Buffer.from('{"resourceType":"Patient","id":"'),
      ...Array<Buffer>(RESOURCE_BYTES_LIMIT / chunk.length + 8).fill(chunk),
      Buffer.from(`"}\n${claim('c', 'p')}\n`),
    ];
    const items = await readBody(chunks);
    expect(refusedOf(items).map(({ code }) => code)).toEqual(['RESOURCE_TOO_LARGE']);
    expect(eventsOf(items)[0]?.envelope.member_id).toBe('fhir|p');
  });

  it('rejects a line of 2 GB in bounded memory', async () => {
    const chunk = Buffer.alloc(4 * 1024 * 1024, 'x');
    async function* line(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"resourceType":"Patient","id":"');
      for (let sent = 0; sent < 2 ** 31; sent += chunk.length) yield chunk;
    }
    const before = process.memoryUsage().rss;
    const codes: string[] = [];
    const options = { strict: false, receivedAt, limits: { segmentBytes: 1 << 20, strictHoldBytes: 1 << 26 } };
    for await (const item of fhirAdapter.read(line(), options)) if (item.kind === 'refused') codes.push(item.code);
    expect(codes).toEqual(['RESOURCE_TOO_LARGE']);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });
});

describe('strict reading', () => {
  it('rejects invalid resources with their path and reads the rest', async () => {
    const invalid = '{"resourceType":"Claim","id":"c","status":"sent","use":"claim"}';
    const items = await readBody(bundle(invalid, patient('p')), { strict: true });
    expect(refusedOf(items)).toMatchObject([
      { code: 'RESOURCE_INVALID', item: 'Claim', segment: 'Bundle.entry[0].resource.status' },
    ]);
    expect(eventsOf(items)).toHaveLength(1);
  });

  it.each([
    ['an element that there is not', { johnDoe: 1 }, 'an element that FHIR R4 does not have', undefined],
    ['one deep in a list', { name: [{ familie: 'DOE' }] }, 'an element that FHIR R4 does not have', 'name[0]'],
    ['a list where one is meant', { birthDate: ['2000-01-01'] }, 'must not be a list', 'birthDate'],
    ['a time of no form', { deceasedDateTime: 'JOHN DOE' }, 'Invalid dateTime format', 'deceased[x]'],
    ['an invariant', { contact: [{ gender: 'male' }] }, 'pat-1', 'contact[0]'],
  ])('rejects %s by its place, without its value', async (_name, more, message, segment) => {
    const body = JSON.stringify({ resourceType: 'Patient', id: 'p', ...more });
    const [refused] = refusedOf(await readBody(body, { strict: true }));
    expect(refused).toMatchObject({ code: 'RESOURCE_INVALID', item: 'Patient' });
    expect(refused?.message).toContain(message);
    expect(refused?.segment).toBe(segment);
    expect(JSON.stringify(refused)).not.toMatch(/DOE|johnDoe|familie/);
    expect(eventsOf(await readBody(body))).toHaveLength(1);
  });

  it('accepts attachments over a megabyte, contained resources of any type and extensions for values', async () => {
    const resource = {
      resourceType: 'DocumentReference',
      id: 'd',
      contained: [{ resourceType: 'NutritionOrder', id: 'n' }],
      status: 'current',
      _date: { extension: [{ url: 'http://example.org/absent', valueCode: 'unknown' }] },
      content: [{ attachment: { contentType: 'application/pdf', data: 'QUFB'.repeat(300_000) } }],
    };
    expect(await refusalsOf(JSON.stringify(resource), true)).toEqual([]);
  });

  it('rejects resources that are too large to check', async () => {
    const of = (names: number) =>
      JSON.stringify({
        resourceType: 'Patient',
        id: 'p',
        name: Array.from({ length: names }, () => ({ family: 'X' })),
      });
    expect(await refusalsOf(of(9_000), true)).toEqual([]);
    expect(await refusalsOf(of(11_000), true)).toEqual(['RESOURCE_TOO_LARGE']);
  });

  it('rejects a transaction as a whole, and a cut Bundle', async () => {
    const transaction = bundle('{"resourceType":"Foo"}', patient('p')).replace('collection', 'transaction');
    expect(await refusalsOf(transaction, true)).toEqual(['RESOURCE_TYPE_UNKNOWN', 'TRANSACTION_REFUSED']);
    expect(await refusalsOf(transaction)).toEqual(['RESOURCE_TYPE_UNKNOWN']);
    expect(await refusalsOf(bundle(patient('p'), patient('q')).slice(0, -3), true)).toContain('BUNDLE_CUT');
  });
});
