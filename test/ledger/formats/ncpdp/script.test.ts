import { describe, expect, it } from '@jest/globals';
import type { AdapterItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { codesOf, eventsOf, fixture, readBody, refusedOf } from './reading.js';

// NCPDP SCRIPT: the parsed messages, and the rejected XML.

const message = (id: string, body = '<NewRx/>', more = ''): string =>
  `<Message version="2017071"><Header><From>SYN</From><MessageID>${id}</MessageID>${more}` +
  `<SentTime>2026-03-02T10:00:00Z</SentTime></Header><Body>${body}</Body></Message>`;
const patient = (id: string): string =>
  `<NewRx><Patient><HumanPatient><Identification><MedicaidNumber>${id}</MedicaidNumber></Identification></HumanPatient></Patient></NewRx>`;
const response = (answer: string): string =>
  message('1', `<RxRenewalResponse><Response>${answer}</Response></RxRenewalResponse>`);

const idsOf = (items: readonly AdapterItem[]): string[] =>
  eventsOf(items).map(({ envelope }) => envelope.source_record_id);
const members = (items: readonly AdapterItem[]): (string | undefined)[] =>
  eventsOf(items).map(({ envelope }) => envelope.member_id);
const outcomes = (items: readonly AdapterItem[]): (string | undefined)[] =>
  eventsOf(items).map(({ envelope }) => envelope.outcome);

describe('a message', () => {
  it('with a namespace, CDATA, character references and an offset is read completely', async () => {
    const items = await readBody(fixture('prior-authorization-answer.xml'));
    expect(eventsOf(items)[0]?.envelope).toMatchObject({
      event_family: 'pharmacy',
      event_type: 'pa_response',
      outcome: 'denied',
      member_id: 'SYN-MEMBER-7',
      source_system: 'SYN-PLAN',
      source_record_id: 'SYN-MSG-2',
      event_effective_timestamp: '2026-03-02T15:00:00.500Z',
      payload: {
        relates_to: 'SYN-MSG-1',
        rationale: 'Criteria <not> met',
        reason_codes: ['AA'],
        procedure_codes: ['00093505601'],
        diagnosis_codes: ['E11.9'],
        jurisdiction: 'US-OH',
        pa_reference_id: 'REF-1',
        coverage: [{ bin: '610066', cardholder_id: 'SYN-MEMBER-7', group_number: 'SYNGRP' }],
        patient: { last_name: "O'Synth & S\u00f6n" },
        identifiers: [{ type: 'FileID', id: 'CHART-1' }],
        timestamp_basis: 'SentTime with offset -05:00',
      },
    });
    expect(JSON.stringify(items)).not.toContain('000-00-0000');
  });

  it('of an earlier version is read by its element names', async () => {
    const items = await readBody(fixture('refill-response-10-6.xml'));
    expect(eventsOf(items)[0]?.envelope).toMatchObject({
      event_type: 'rx_renewal_response',
      outcome: 'approved_with_changes',
      member_id: 'SYN-MEDICAID-1',
      payload: {
        jurisdiction: 'US-NY',
        reason_codes: ['AM'],
        medications: [{ refills: '2' }],
        patient: { birth_date: '1980-01-01' },
      },
    });
  });

  it('with two answers decides nothing', async () => {
    const items = await readBody(fixture('two-answers.xml'));
    expect(outcomes(items)).toEqual(['unknown']);
    expect(codesOf(items)).toContain('RESPONSE_AMBIGUOUS');
    expect(eventsOf(items)[0]?.envelope.payload).toMatchObject({
      responses: ['Approved', 'Denied'],
      rationale: 'Not now.',
    });
  });

  it('with two transactions decides nothing and has no member', async () => {
    const items = await readBody(message('1', `${patient('M-1')}${patient('M-2')}`));
    expect([outcomes(items), members(items)]).toEqual([['unknown'], [undefined]]);
    expect(codesOf(items)).toContain('RESPONSE_AMBIGUOUS');
  });

  it.each([
    ['Approved', 'approved'],
    ['ApprovedWithChanges', 'approved_with_changes'],
    ['Denied', 'denied'],
    ['DeniedNewPrescriptionToFollow', 'denied'],
    ['Replace', 'approved_with_changes'],
    ['Pending', 'pended'],
    ['Somehow', 'unknown'],
  ])('answered %s is %s', async (answer, outcome) => {
    expect(outcomes(await readBody(response(`<${answer}/>`)))).toEqual([outcome]);
  });

  it('Status, Error and Verify have their outcome', async () => {
    expect(outcomes(await readBody(message('1', '<Status><Code>000</Code></Status>')))).toEqual(['accepted']);
    expect(outcomes(await readBody(message('1', '<Status><Code>999</Code></Status>')))).toEqual(['unknown']);
    expect(outcomes(await readBody(message('1', '<Status/>')))).toEqual(['unknown']);
    expect(outcomes(await readBody(message('1', '<Error><Code>900</Code></Error>')))).toEqual(['error']);
    expect(outcomes(await readBody(message('1', '<Verify/>')))).toEqual(['accepted']);
  });

  it('of an unknown name is rejected by it', async () => {
    expect(refusedOf(await readBody(message('1', '<Census/>')))).toMatchObject([
      { code: 'UNSUPPORTED_TRANSACTION', item: 'Census' },
    ]);
    const [odd] = refusedOf(await readBody(message('1', '<John.Doe-1980/>')));
    expect(odd).toMatchObject({ code: 'UNSUPPORTED_TRANSACTION', item: 'of an unknown name' });
  });

  it('without id and time has its hash as id and its receipt as time', async () => {
    const [event] = eventsOf(await readBody('<Message><Header/><Body><NewRx/></Body></Message>'));
    expect(event?.envelope.source_record_id).toBe(`sha256:${event?.part.sha256.slice(0, 32)}`);
    expect(event?.duplicateKeyOmitsTime).toBe(true);
    expect(event?.warnings.map(({ code }) => code)).toEqual([
      'MESSAGE_ID_MISSING',
      'VERSION_MISSING',
      'DATE_MISSING',
      'SENDER_MISSING',
    ]);
    const strict = await readBody('<Message><Header/><Body><NewRx/></Body></Message>', { strict: true });
    expect(refusedOf(strict)).toMatchObject([{ code: 'MESSAGE_ID_MISSING' }]);
  });
});

describe('a body of several messages', () => {
  const body = `\ufeff<?xml version="1.0"?>\n<!-- </Message> -->${message('1', patient('M-1'))}\r\n<?xml version="1.0"?>${message('2', patient('M-2'))}<!-- end -->\n`;

  it('yields one event with its bytes per message', async () => {
    const bytes = Buffer.from(body);
    const items = await readBody(bytes);
    expect([idsOf(items), members(items), refusedOf(items)]).toEqual([['1', '2'], ['M-1', 'M-2'], []]);
    const { offset = 0, length = 0 } = eventsOf(items)[1]?.part ?? {};
    expect(bytes.toString('utf8', offset, offset + length)).toBe(
      `<?xml version="1.0"?>${message('2', patient('M-2'))}`,
    );
  });

  it('yields the same items for any chunks', async () => {
    const bytes = Buffer.concat([
      Buffer.from(body),
      fixture('prior-authorization-answer.xml'),
      fixture('two-answers.xml'),
    ]);
    const whole = await readBody(bytes);
    expect(eventsOf(whole)).toHaveLength(4);
    for (const size of [1, 3, 7, 64, 1000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const limits = { segmentBytes: 1024 * 1024, strictHoldBytes: 1, windowBytes: 1 };
      expect(await readBody(chunks, { limits })).toEqual(whole);
    }
  });

  it('reports a cut at any byte, even inside the first tag', async () => {
    const body = fixture('two-answers.xml').toString('latin1');
    const end = body.lastIndexOf('>') + 1;
    for (let length = 1; length < end; length++) {
      const codes = refusedOf(await readBody(body.slice(0, length))).map(({ code }) => code);
      expect([length, codes]).toEqual([length, ['XML_CUT']]);
    }
    for (const trailer of ['', '\n', '<!-- <end> -->', '<?end <x>?>', '<!-- cut']) {
      expect(refusedOf(await readBody(body.slice(0, end) + trailer))).toEqual([]);
    }
    expect(refusedOf(await readBody(`${body.slice(0, end)}<Mess`))).toMatchObject([{ code: 'XML_CUT' }]);
  });

  it('loses only the broken message', async () => {
    const broken: [string, string][] = [
      [message('2').replace('</Body>', '</Boby>'), 'XML_UNREADABLE'],
      [message('2').split('<SentTime')[0] ?? '', 'XML_CUT'],
      [message('2').slice(0, 60), 'XML_UNREADABLE'],
      [message('2').replace('<Body>', '<Body'), 'XML_UNREADABLE'],
      [message('2').replace('SYN', 'S\0N'), 'NUL_IN_DOCUMENT'],
      [message('2', '<a>'.repeat(70) + '</a>'.repeat(70)), 'XML_TOO_DEEP'],
      ['just words', 'NOT_NCPDP'],
      ['<html><body>no</body></html>', 'NOT_NCPDP'],
      [message('2', ''), 'BODY_EMPTY'],
      [`<?xml version="1.0" encoding="EBCDIC-US"?>${message('2')}`, 'CHARSET_UNKNOWN'],
    ];
    for (const [bad, code] of broken) {
      const items = await readBody(message('1', patient('M-1')) + bad + message('3', patient('M-3')));
      expect([code, idsOf(items), members(items)]).toEqual([code, ['1', '3'], ['M-1', 'M-3']]);
      expect(refusedOf(items)).toMatchObject([{ code, exceptionKind: 'PARSE_FAILED' }]);
    }
  });
});

describe('hostile XML', () => {
  const bomb = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY lol${at} "${`&lol${at === 0 ? '' : at - 1};`.repeat(10)}">`).join('')}]>`;

  it('rejects a document type before reading it, and reads nothing after it', async () => {
    const bodies = [
      `<?xml version="1.0"?>${bomb}${message('1', '<NewRx>&lol8;</NewRx>')}`,
      `${message('1')}<!DOCTYPE Message SYSTEM "file:///etc/passwd">${message('2')}`,
      `<!doctype Message>${message('2')}`,
      message('1', '<NewRx><!ENTITY x "y"></NewRx>'),
    ];
    for (const [at, body] of bodies.entries()) {
      const items = await readBody(body);
      expect(idsOf(items)).toEqual(at === 1 ? ['1'] : []);
      expect(refusedOf(items)).toMatchObject([{ code: 'DOCTYPE_REFUSED', exceptionKind: 'PARSE_FAILED' }]);
    }
  });

  it('leaves an undeclared entity as sent', async () => {
    const items = await readBody(
      message('1', '<Error><Description>&xxe; &amp;lt; &#0; &#xD800;</Description></Error>'),
    );
    expect(eventsOf(items)[0]?.envelope.payload['rationale']).toBe('&xxe; &lt; \ufffd \ufffd');
  });

  it('loses only the message with too many levels, elements or bytes', async () => {
    const bodies: [string, string][] = [
      [`<Message>${'<a>'.repeat(100_000)}`, 'XML_TOO_DEEP'],
      [`<Message>${'<a/>'.repeat(100_000)}</Message>`, 'XML_TOO_LONG'],
      [`<Message><a b="${'x'.repeat(9_000_000)}"/></Message>`, 'XML_TOO_LONG'],
      [`<Message><!--${'-'.repeat(9_000_000)}`, 'XML_TOO_LONG'],
    ];
    for (const [bad, code] of bodies) {
      const chunks = [Buffer.from(bad), Buffer.from(message('2', patient('M-2')))];
      const items = await readBody(chunks);
      expect([code, idsOf(items)]).toEqual([code, ['2']]);
      expect(refusedOf(items).map((item) => item.code)).toEqual([code]);
    }
  });

  it('limits lists of answers, reasons and notes', async () => {
    const answers = Array.from({ length: 15_000 }, (_, n) => `<Approved><Note>words ${n}</Note></Approved>`).join('');
    const names = Array.from({ length: 3_000 }, (_, n) => `<Other${n}/>`).join('');
    const reasons = Array.from({ length: 3_000 }, (_, n) => `<ReasonCode>${n}</ReasonCode>`).join('');
    const body = `<RxRenewalResponse><Response><Denied>${reasons}</Denied>${answers}</Response></RxRenewalResponse>${names}`;
    const [event] = eventsOf(
      await readBody(`<Message xmlns="http://www.ncpdp.org/schema/SCRIPT"><Header/><Body>${body}</Body></Message>`),
    );
    const { responses, reason_codes, message_types, rationale } = (event?.envelope.payload ?? {}) as Record<
      string,
      string[]
    >;
    for (const list of [responses, reason_codes, message_types]) expect(list?.length).toBeLessThanOrEqual(100);
    expect(String(rationale).split('\n').length).toBeLessThanOrEqual(100);
  });

  it('reads names of object properties as elements', async () => {
    const items = await readBody(
      message('1', '<NewRx><constructor>x</constructor><toString/><hasOwnProperty/></NewRx>'),
    );
    expect(eventsOf(items).length + refusedOf(items).length).toBe(1);
    const odd = await readBody(message('1', '<__proto__><polluted>1</polluted></__proto__>'));
    expect(eventsOf(odd)).toEqual([]);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('text', () => {
  const words = async (bytes: Buffer): Promise<unknown> =>
    eventsOf(await readBody(bytes))[0]?.envelope.payload['rationale'];
  const body = message('1', '<Error><Description>M\u00fcller</Description></Error>');

  it('is decoded by the declared encoding, else with a warning', async () => {
    expect(await words(Buffer.from(body))).toBe('M\u00fcller');
    const western = `<?xml version="1.0" encoding="ISO-8859-1"?>${body}`;
    expect(await words(Buffer.from(western, 'latin1'))).toBe('M\u00fcller');
    expect(await words(Buffer.from(body, 'latin1'))).toBe('M\u00fcller');
    expect(codesOf(await readBody(Buffer.from(body, 'latin1')))).toContain('CHARSET_MISMATCH');
  });
});

describe('times', () => {
  it.each([
    ['2026-03-02T10:00:00Z', '2026-03-02T10:00:00.000Z'],
    ['2006-05-04T18:13:51.0', '2006-05-04T18:13:51.000Z'],
    ['2026-03-02T10:00:00+02:00', '2026-03-02T08:00:00.000Z'],
    ['2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['2026-02-31T10:00:00Z', '2026-04-01T12:00:00.000Z'],
    ['yesterday', '2026-04-01T12:00:00.000Z'],
  ])('%s is %s', async (sent, instant) => {
    const items = await readBody(message('1').replace('2026-03-02T10:00:00Z', sent));
    expect(eventsOf(items)[0]?.envelope.event_effective_timestamp).toBe(instant);
  });
});

describe('the attachments of a message', () => {
  const attachment = (data: string, type = 'application/pdf'): string =>
    `<Attachment><AttachmentSource>EHR</AttachmentSource><AttachmentData>${data}</AttachmentData><MIMEType>${type}</MIMEType></Attachment>`;
  const request = (...attachments: readonly string[]): string =>
    message(
      '1',
      `<PARequest><Patient><HumanPatient><Identification><MemberID>SYN-1</MemberID></Identification></HumanPatient></Patient><PACaseID>C-1</PACaseID>${attachments.join('')}</PARequest>`,
    );
  const pdf = Buffer.from('%PDF-1.7').toString('base64');

  it('go to the vault by their type, and the payload has their size and hash', async () => {
    const [event] = eventsOf(await readBody(request(attachment(pdf), attachment('YSBub3Rl\n', 'text/plain'))));
    expect(event?.documents?.map(({ bytes, mediaType }) => [mediaType, Buffer.from(bytes).toString()])).toEqual([
      ['application/pdf', '%PDF-1.7'],
      ['text/plain', 'a note'],
    ]);
    expect(event?.envelope).toMatchObject({
      member_id: 'SYN-1',
      payload: {
        attachments: [
          { source: 'EHR', media_type: 'application/pdf', size_bytes: 8 },
          { source: 'EHR', media_type: 'text/plain', size_bytes: 6 },
        ],
      },
    });
    expect(event?.warnings).toEqual([]);
  });

  it('of clinical information, and with control numbers, are read by the names of the schemas', async () => {
    const named = attachment(pdf)
      .replace('<Attachment>', '<ClinicalInfoAttachment><AttachmentControlNumber>A-1</AttachmentControlNumber>')
      .replace('</Attachment>', '</ClinicalInfoAttachment>');
    const [event] = eventsOf(await readBody(request(named)));
    expect(event?.documents).toHaveLength(1);
    expect(event?.envelope.payload).toMatchObject({ attachments: [{ control_number: 'A-1', source: 'EHR' }] });
  });

  it.each([['not base64 at all!'], ['']])('without readable data (%j) are warned of', async (data) => {
    const [event] = eventsOf(await readBody(request(attachment(data))));
    expect(event?.documents ?? []).toEqual([]);
    expect(event?.warnings.map(({ code }) => code)).toEqual(['CONTENT_NOT_STORED']);
  });

  it('beyond the 50th are warned of', async () => {
    const [event] = eventsOf(await readBody(request(...Array.from({ length: 51 }, () => attachment(pdf)))));
    expect(event?.documents).toHaveLength(50);
    expect(event?.warnings.map(({ code }) => code)).toEqual(['CONTENT_NOT_STORED']);
  });
});
