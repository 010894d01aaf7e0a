import { describe, expect, it } from '@jest/globals';
import { isFields } from '../../../../subgraphs/ledger/formats/fhir/json/objects.js';
import type { AdapterItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { seeded } from '../../../support/random.js';
import { asXml } from './as-xml.js';
import { codesOf, eventsOf, fixture, readBody, refusedOf } from './reading.js';

const XMLNS = 'xmlns="http://hl7.org/fhir"';
const claim = (id: string, member: string): Record<string, unknown> => ({
  resourceType: 'Claim',
  id,
  status: 'active',
  use: 'claim',
  patient: { reference: `Patient/${member}` },
  created: '2026-03-01',
});
const patient = (id: string): Record<string, unknown> => ({
  resourceType: 'Patient',
  id,
  identifier: [{ type: { coding: [{ code: 'MB' }] }, value: `M-${id}` }],
});
const bundle = (...resources: unknown[]): Record<string, unknown> => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: resources.map((resource) => ({ resource })),
});

/** Without the empty lists that FHIR forbids, and with the URL of an extension where FHIR's JSON has it. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isFields(value)) return value;
  const { extension, url, ...rest } = value;
  const isExtension = url !== undefined && Object.keys(value).some((key) => /^(?:extension$|value[A-Z])/.test(key));
  const whole = isExtension ? { ...(extension !== undefined && { extension }), url, ...rest } : value;
  const members = Object.entries(whole).filter(([, member]) => !(Array.isArray(member) && member.length === 0));
  return Object.fromEntries(members.map(([key, member]) => [key, inOrder(member)]));
}

/** What an event says, without the place of its bytes. */
function contents(items: readonly AdapterItem[]): unknown[] {
  return eventsOf(items).map(({ envelope, part, warnings }) => {
    const { raw, ...payload } = envelope.payload;
    const { wholeness } = raw as Record<string, unknown>;
    const codes = warnings.map(({ code, segment }) => [code, segment]);
    return { ...envelope, payload, wholeness, codes, content: part.contentSha256 };
  });
}
const membersOf = async (body: string): Promise<(string | undefined)[]> =>
  eventsOf(await readBody(body)).map(({ envelope }) => envelope.member_id);
const refusalsOf = async (body: string | Buffer, strict = false): Promise<string[]> =>
  refusedOf(await readBody(body, { strict })).map(({ code }) => code);

const fixtures = ['authorization-answer.json', 'transaction.json', 'parameters.json', 'lines.ndjson', 'shapes.ndjson'];
const resources: unknown[] = fixtures.flatMap((name) => {
  const text = fixture(name).toString();
  return name.endsWith('.ndjson')
    ? text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
    : [JSON.parse(text)];
});

describe('FHIR XML', () => {
  it.each(resources.map((resource, at) => [at, resource]))(
    'yields the events, content hashes and wholeness of the same resource in JSON (resource %#)',
    async (_, resource) => {
      const json = await readBody(JSON.stringify(inOrder(resource)));
      for (const indent of ['', '\r\n\t']) {
        const xml = await readBody(asXml(resource, indent));
        expect(contents(xml)).toEqual(contents(json));
        expect(codesOf(xml).sort()).toEqual(codesOf(json).sort());
      }
    },
  );

  it('names the bytes of each resource in the XML', async () => {
    const body = asXml(bundle(claim('c', 'p'), patient('p')), '\n ');
    const events = eventsOf(await readBody(body));
    expect(events.map(({ part }) => body.slice(part.offset, part.offset + part.length))).toEqual([
      expect.stringMatching(/^<Claim>[\s\S]*<\/Claim>$/),
      expect.stringMatching(/^<Patient>[\s\S]*<\/Patient>$/),
    ]);
    for (const { position, part } of events) expect(position.byteOffset).toBe(part.offset);
  });

  it('yields the same items for any chunks', async () => {
    const body = Buffer.from(asXml(resources[0], '\n '));
    const whole = await readBody(body);
    for (const size of [1, 7, 1000]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < body.length; at += size) chunks.push(body.subarray(at, at + size));
      const limits = { segmentBytes: 1024, strictHoldBytes: 1 << 20, windowBytes: 1 };
      expect(await readBody(chunks, { limits })).toEqual(whole);
    }
  });

  it('reads prefixes, comments, extensions of primitives, numbers and the narrative as JSON has them', async () => {
    const body = `<?xml version="1.0"?><!-- a --><f:Observation xmlns:f="http://hl7.org/fhir"><f:id value="o"/>
      <f:text><f:status value="generated"/><div xmlns="http://www.w3.org/1999/xhtml"><p>5 &lt; 6</p></div></f:text>
      <f:status value="final"/><f:code><f:coding><f:code value="4548-4"/></f:coding></f:code>
      <f:subject><f:reference value="Patient/p"/></f:subject>
      <f:effectiveDateTime value="2026-03-01"><f:extension url="http://example.org/a"><f:valueBoolean value="true"/></f:extension></f:effectiveDateTime>
      <f:valueQuantity><f:value value="6.10"/><f:unit value="%"/></f:valueQuantity></f:Observation>`;
    const json = {
      resourceType: 'Observation',
      id: 'o',
      status: 'final',
      code: { coding: [{ code: '4548-4' }] },
      subject: { reference: 'Patient/p' },
      effectiveDateTime: '2026-03-01',
      _effectiveDateTime: { extension: [{ url: 'http://example.org/a', valueBoolean: true }] },
      valueQuantity: { value: 6.1, unit: '%' },
    };
    expect(contents(await readBody(body))).toEqual(contents(await readBody(JSON.stringify(json))));
    expect(await refusalsOf(body, true)).toEqual([]);
  });

  it('joins documents one after another, with or without declarations', async () => {
    const one = asXml(claim('a', 'p'));
    const bare = asXml(patient('p')).replace(/^<\?[^>]*>/, '');
    expect(await membersOf(`\ufeff${one}${bare}\n${one}`)).toEqual(['M-p', 'M-p', 'M-p']);
  });

  it('keeps the whole entries of a cut Bundle and reads the next document', async () => {
    const body = asXml(bundle(patient('p'), claim('c', 'p'), claim('d', 'p')), '\n ');
    const cut = body.slice(0, body.lastIndexOf('<Claim>') + '<Claim>'.length);
    const items = await readBody(`${cut}\n${asXml(claim('e', 'q'))}`);
    const json = JSON.stringify(bundle(patient('p'), claim('c', 'p'), claim('d', 'p')));
    const cutJson = json.slice(0, json.lastIndexOf('"Claim"') + 30);
    const members = [...(await membersOf(cutJson)), 'fhir|q'];
    expect(eventsOf(items).map(({ envelope }) => envelope.member_id)).toEqual(members);
    expect(codesOf(items)).toEqual(expect.arrayContaining(['XML_CUT', 'BUNDLE_CUT']));
    expect(eventsOf(items).map(({ envelope }) => envelope.payload['raw'])).toMatchObject([
      { wholeness: { grade: 'UNFRAMED' } },
      { wholeness: { grade: 'UNFRAMED' } },
      { wholeness: { grade: 'WHOLE' } },
    ]);
  });

  it('reads a Bundle of 30 MB, and ends one at an entry above 16 MB', async () => {
    const filler = Buffer.from(
      `<entry><resource><Basic><id value="${'x'.repeat(1 << 20)}"/></Basic></resource></entry>`,
    );
    const [head = '', tail = ''] = asXml(bundle(patient('p'), claim('c', 'p'))).split('<type value="collection"/>');
    const begin = Buffer.from(`${head}<type value="collection"/>`);
    const many = await readBody([begin, ...Array<Buffer>(30).fill(filler), Buffer.from(tail)]);
    expect(eventsOf(many).map(({ envelope }) => envelope.member_id)).toEqual(['M-p', 'M-p']);
    const long = Buffer.from(
      `<entry><resource><Basic><id value="${'x'.repeat(17 << 20)}"/></Basic></resource></entry>`,
    );
    const items = await readBody(Buffer.concat([begin, long, Buffer.from(tail)]));
    expect(codesOf(items)).toEqual(expect.arrayContaining(['XML_TOO_LONG', 'BUNDLE_CUT']));
  });
});

describe('FHIR XML that is rejected, with its place', () => {
  const inPatient = (text: string): string => `<Patient ${XMLNS}>${text}</Patient>`;
  it.each([
    ['a DOCTYPE', `<!DOCTYPE Patient [<!ENTITY a "b">]>${inPatient('<id value="&a;"/>')}`, 'DOCTYPE_REFUSED'],
    ['an end tag of another element', inPatient('<id value="a"></name>'), 'XML_UNREADABLE'],
    ['an attribute twice', inPatient('<id value="a" value="b"/>'), 'XML_UNREADABLE'],
    ['an attribute without quotes', inPatient('<id value=a />'), 'XML_UNREADABLE'],
    [
      'a single element twice',
      inPatient('<birthDate value="2000-01-01"/><birthDate value="2001-01-01"/>'),
      'ELEMENT_REPEATED',
    ],
    ['two resources in one', inPatient('<contained><Basic/><Basic/></contained>'), 'RESOURCE_TYPE_MISSING'],
    ['no type of FHIR', `<Foo ${XMLNS}/>`, 'RESOURCE_TYPE_UNKNOWN'],
    ['an answer of another system', `<OperationOutcome ${XMLNS}/>`, 'UNSUPPORTED_TRANSACTION'],
    ['65 levels', inPatient(`${'<a>'.repeat(64)}${'</a>'.repeat(64)}`), 'XML_TOO_DEEP'],
    ['a NUL', inPatient('<id value="\u0000"/>'), 'NUL_IN_DOCUMENT'],
    ['a cut resource', inPatient('<id value="a"/>').slice(0, -4), 'XML_CUT'],
    ['an unknown encoding', `<?xml version="1.0" encoding="UTF-7"?>${inPatient('')}`, 'UNSUPPORTED_ENCODING'],
  ])('%s', async (_, body, code) => {
    const items = await readBody(body);
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items)).toMatchObject([{ code, position: { byteOffset: expect.any(Number) } }]);
  });

  it('bytes that are not in the declared encoding; Latin-1 is read where it is declared', async () => {
    const named = '<id value="a"/><address><city value="S\u00e3o"/></address>';
    expect(await refusalsOf(Buffer.from(inPatient(named), 'latin1'))).toEqual(['UNSUPPORTED_ENCODING']);
    const declared = `<?xml version="1.0" encoding="ISO-8859-1"?>${inPatient(named)}`;
    expect(await refusalsOf(Buffer.from(declared, 'latin1'))).toEqual([]);
  });

  it('an unreadable entry alone, under its number', async () => {
    const body = asXml(bundle(patient('p'), claim('c', 'p'), claim('d', 'p'))).replace(
      '<id value="c"/>',
      '<id value="c"/><id value="e"/>',
    );
    const items = await readBody(body);
    expect(eventsOf(items)).toHaveLength(2);
    expect(refusedOf(items)).toMatchObject([{ code: 'ELEMENT_REPEATED', segment: 'Bundle.entry[1]' }]);
  });

  it('elements that R4 does not have, if strict', async () => {
    const body = inPatient('<id value="a"/><johnDoe value="1"/>');
    expect(await refusalsOf(body, true)).toEqual(['RESOURCE_INVALID']);
    expect(eventsOf(await readBody(body))).toHaveLength(1);
  });
});

describe('damaged FHIR XML', () => {
  it('cut at every byte: never names another member', async () => {
    const body = asXml(bundle(claim('a', 'p'), patient('p'), claim('b', 'q'), patient('q')), '\n');
    const members = new Map([
      ['Claim/a', 'M-p'],
      ['Claim/b', 'M-q'],
      ['Patient/p', 'M-p'],
      ['Patient/q', 'M-q'],
    ]);
    for (let at = 0; at < body.length; at += 1) {
      for (const { envelope } of eventsOf(await readBody(body.slice(0, at)))) {
        if (envelope.member_id === undefined) continue;
        expect(envelope.member_id).toBe(members.get(envelope.source_record_id));
      }
    }
  });

  const rounds = Number(process.env['FHIR_FUZZ_ROUNDS'] ?? 400);
  it(
    `${rounds} seeded rounds: throws nothing, and the parts of events are inside the body`,
    async () => {
      const random = seeded(24);
      const spoils = [
        '<',
        '>',
        '/>',
        '"',
        '<entry>',
        '</entry>',
        '<?xml ',
        '<!--',
        ']]>',
        '&',
        '\u0000',
        `<Patient ${XMLNS}>`,
      ];
      const bodies = resources.map((resource) => asXml(resource, '\n'));
      for (let round = 0; round < rounds; round += 1) {
        let body = bodies[Math.floor(random() * bodies.length)] ?? '';
        for (let times = Math.floor(random() * 3); times >= 0; times -= 1) {
          const at = Math.floor(random() * body.length);
          const spoil = spoils[Math.floor(random() * spoils.length)] ?? '';
          const lost = Math.floor(random() * 30);
          body = body.slice(0, at) + (random() < 0.7 ? spoil : '') + body.slice(at + lost);
        }
        for (const { envelope, part } of eventsOf(await readBody(body, { strict: random() < 0.2 }))) {
          expect(part.offset + part.length).toBeLessThanOrEqual(Buffer.byteLength(body));
          expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope);
        }
      }
    },
    30 * 60_000,
  );
});
