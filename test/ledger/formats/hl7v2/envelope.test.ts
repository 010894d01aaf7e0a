import { describe, expect, it } from '@jest/globals';
import type { AdapterItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { codesOf, eventsOf, fixture, readBody, refusedOf } from './reading.js';

// The split of a body into messages, and the reports of malformed ones.

const header = (id: string, more = ''): string =>
  `MSH|^~\\&|SYNTH|NORTH|PLAN|PLAN|20260301||ADT^A08|${id}|P|2.5${more}\r`;
const person = (id: string): string => `EVN|A08|20260301\rPID|1||${id}^^^PLAN^MB||NAME^GIVEN\r`;
const message = (id: string, member: string): string => header(id) + person(member);
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

const members = (items: readonly AdapterItem[]): (string | undefined)[] =>
  eventsOf(items).map(({ envelope }) => envelope.member_id);

describe('a body of several messages', () => {
  it('yields the events of each, with or without frames, marks and blank lines', async () => {
    const bodies = [
      message('1', 'M-1') + message('2', 'M-2'),
      `\u000b${message('1', 'M-1')}\u001c\r\u000b${message('2', 'M-2')}\u001c\r`,
      `\u00ef\u00bb\u00bf\r\n${message('1', 'M-1').replaceAll('\r', '\r\n')}\r\n\r\n${message('2', 'M-2').replaceAll('\r', '\n')}`,
      `\u000b${message('1', 'M-1').trimEnd()}\u001c\r\u000b${message('2', 'M-2').trimEnd()}\u001c`,
    ];
    for (const body of bodies) {
      const items = await readBody(latin1(body));
      expect(members(items)).toEqual(['M-1', 'M-2']);
      expect(codesOf(items)).toEqual([]);
    }
  });

  it('yields the same items for any chunks', async () => {
    const body = Buffer.concat([fixture('admit'), fixture('batch-wrong-count'), fixture('two-patients')]);
    const whole = await readBody(body);
    for (const size of [1, 3, 7, 64, 1000]) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
        body.subarray(at * size, (at + 1) * size),
      );
      const limits = { segmentBytes: 1024 * 1024, strictHoldBytes: 1, windowBytes: 1 };
      expect(await readBody(chunks, { limits })).toEqual(whole);
    }
  });

  it('reports messages, batches and files for acknowledgements and control numbers', async () => {
    const items = await readBody(fixture('batch-wrong-count'));
    const wrappers = items.flatMap((item) => (item.kind === 'wrapper' ? [item] : []));
    expect(
      wrappers.map(({ level, header: { sender, receiver, control_number } }) => [
        level,
        sender,
        receiver,
        control_number,
      ]),
    ).toEqual([
      ['message', 'SYNTH-ADT', 'PLAN', 'SYN-0003'],
      ['message', 'SYNTH-ADT', 'PLAN', 'SYN-0004'],
      ['message', 'SYNTH-ADT', 'PLAN', 'SYN-0005'],
      ['group', 'SYNTH-ADT', 'PLAN', 'B-1'],
      ['interchange', 'SYNTH-ADT', 'PLAN', 'F-1'],
    ]);
    expect(wrappers[3]).toMatchObject({ declaredCount: '5', count: 3, warnings: [{ code: 'BATCH_COUNT_MISMATCH' }] });
  });
});

describe('a broken message among good ones', () => {
  it('is rejected alone, with its place', async () => {
    const items = await readBody(fixture('batch-wrong-count'));
    expect(members(items)).toEqual(['SYN-MEMBER-1', 'SYN-MEMBER-3']);
    expect(refusedOf(items)).toMatchObject([
      {
        code: 'SEGMENT_UNREADABLE',
        exceptionKind: 'PARSE_FAILED',
        position: { segmentNumber: 8, transactionPosition: 3 },
      },
    ]);
  });

  it('without an MSH is not added to the previous patient', async () => {
    const items = await readBody(latin1(message('1', 'M-1') + person('M-2') + message('3', 'M-3')));
    expect(members(items)).toEqual(['M-1', 'M-3']);
    expect(refusedOf(items)).toMatchObject([{ code: 'HEADER_LOST', position: { segmentNumber: 4 } }]);
  });

  it('that runs into the previous one is read apart from it', async () => {
    const run = message('1', 'M-1').trimEnd() + message('2', 'M-2');
    const items = await readBody(latin1(run + message('3', 'M-3')));
    expect(members(items)).toEqual(['M-1', 'M-2', 'M-3']);
    expect(refusedOf(items)).toEqual([]);
  });

  it('with a damaged segment id among several patients yields no event', async () => {
    const text = fixture('two-patients').toString('latin1');
    const damaged = ['PIX|2', 'ZID|2', '?PID|2', 'PRD|2', 'pid|2', '|FPID|2'];
    for (const instead of damaged) {
      const items = await readBody(
        latin1(text.replace(/\rPID\|2/, instead === '|FPID|2' ? instead : `\r${instead}`) + message('3', 'M-3')),
      );
      expect([instead, members(items)]).toEqual([instead, ['M-3']]);
      expect(refusedOf(items)).toHaveLength(1);
    }
    const third = await readBody(latin1(`${text}QQQ|3||M-9\rOBX|1|NM|1^x^L||1\r`));
    expect(refusedOf(third)).toMatchObject([{ code: 'SEGMENT_UNREADABLE', segment: 'QQQ' }]);
  });
});

describe('a body that ends too early', () => {
  it('does not use a cut last segment in a frame', async () => {
    const items = await readBody(latin1(`\u000b${header('1')}EVN|A08|20260301\rPID|1||M-1^^^PLAN^MB|`));
    expect(members(items)).toEqual([undefined]);
    expect(codesOf(items)).toEqual(expect.arrayContaining(['MESSAGE_CUT', 'SEGMENT_MISSING', 'MEMBER_MISSING']));
    expect(items).toContainEqual(expect.objectContaining({ kind: 'transaction', complete: false }));
  });

  it('does not use PID-3 for a lost IN1', async () => {
    const pid = `${header('1')}EVN|A08|20260301\rPID|1||MRN-1^^^HOSP^MR||Roe\rPV1|1|I\r`;
    const insured = `IN1|1|PLAN|INS${'|'.repeat(33)}HMO-1|x${'|'.repeat(12)}HMO-1|y\r`;
    expect(members(await readBody(latin1(`\u000b${pid}${insured}\u001c\r`)))).toEqual(['HMO-1']);
    expect(members(await readBody(latin1(`\u000b${pid}\u001c\r`)))).toEqual(['MRN-1']);
    expect(members(await readBody(latin1(`\u000b${pid}`)))).toEqual([undefined]);
    for (let length = 4; length < insured.length; length += 1) {
      for (const frame of ['', '\u000b']) {
        const [member] = members(await readBody(latin1(`${frame}${pid}${insured.slice(0, length)}`)));
        expect([length, [undefined, 'HMO-1']]).toEqual([length, expect.arrayContaining([member])]);
      }
    }
  });

  it('does not use a possibly cut last field as a member', async () => {
    const items = await readBody(latin1(`${header('1')}EVN|A08|20260301\rPID|1||M-1`));
    expect(members(items)).toEqual([undefined]);
    expect(codesOf(items)).toEqual(['SEGMENT_UNTERMINATED', 'MEMBER_MISSING']);
    expect(members(await readBody(latin1(`${header('1')}EVN|A08|20260301\rPID|1||M-1|`)))).toEqual(['M-1']);
  });

  it('withholds the member of a message that is known to be cut, and says why', async () => {
    const typed = `${header('1')}EVN|A08|20260301\rPID|1||M-1^^^PLAN^MB||Roe\r`;
    const cut = await readBody(latin1(`\u000b${typed}PV1|1|I`));
    expect(members(cut)).toEqual([undefined]);
    expect(cut).toContainEqual(
      expect.objectContaining({
        kind: 'exception',
        exceptionKind: 'UNKNOWN_MEMBER',
        message: expect.stringContaining('cut'),
      }),
    );
    const lacking = await readBody(latin1(`${header('1').replace('ADT^A08', 'MDM^T02')}PID|1||M-1^^^PLAN^MB||Roe`));
    expect(members(lacking)).toEqual([undefined]);
    expect(codesOf(lacking)).toContain('SEGMENT_MISSING');
  });

  it('states how much of each message arrived', async () => {
    const gradeOf = async (body: string): Promise<unknown> => {
      const [event] = eventsOf(await readBody(latin1(body)));
      return (event?.envelope.payload['raw'] as { wholeness?: unknown } | undefined)?.wholeness;
    };
    const whole = message('1', 'M-1');
    const known = { counted: null };
    expect(await gradeOf(`\u000b${whole}\u001c\r`)).toEqual({ ...known, framed: true, trailer: true, grade: 'WHOLE' });
    expect(await gradeOf(whole)).toEqual({ ...known, framed: false, trailer: true, grade: 'UNFRAMED' });
    expect(await gradeOf(whole.trimEnd())).toEqual({ ...known, framed: false, trailer: false, grade: 'UNFRAMED' });
    expect(await gradeOf(`\u000b${whole}PV1|1`)).toEqual({ ...known, framed: false, trailer: false, grade: 'CUT' });
  });

  it('is rejected in strict mode', async () => {
    const body = latin1(message('1', 'M-1').trimEnd());
    expect(members(await readBody(body))).toEqual(['M-1']);
    expect(refusedOf(await readBody(body, { strict: true }))).toMatchObject([{ code: 'SEGMENT_UNTERMINATED' }]);
  });
});

describe('strict mode', () => {
  it('rejects faults that the acknowledgement rejects, and accepts correct messages', async () => {
    expect(members(await readBody(latin1(message('1', 'M-1')), { strict: true }))).toEqual(['M-1']);
    const faulty: [string, string][] = [
      [message('', 'M-1'), 'CONTROL_ID_MISSING'],
      [message('1', 'M-1').replace('|P|2.5', '|X|2.5'), 'PROCESSING_ID_UNKNOWN'],
      [message('1', 'M-1').replace('|2.5', '|3.0'), 'VERSION_UNKNOWN'],
      [`${header('1')}PID|1||M-1^^^PLAN^MB\r`, 'SEGMENT_MISSING'],
      [header('1', '||||||KLINGON') + person('M-1'), 'CHARSET_UNKNOWN'],
      [`${message('1', 'M-1')}QQQ|1\r`, 'UNKNOWN_SEGMENT'],
    ];
    for (const [body, code] of faulty) {
      expect(refusedOf(await readBody(latin1(body), { strict: true })).map((item) => item.code)).toEqual([code]);
      const lenient = await readBody(latin1(body));
      expect(members(lenient)).toEqual(['M-1']);
      expect(codesOf(lenient)).toContain(code);
    }
  });
});

describe('messages without an event', () => {
  it('rejects an acknowledgement by its name, without an exception', async () => {
    const [refused] = refusedOf(await readBody(fixture('acknowledgement')));
    expect(refused).toMatchObject({ code: 'UNSUPPORTED_TRANSACTION', item: 'ACK^A01' });
    expect(refused).not.toHaveProperty('exceptionKind');
  });

  it('does not copy an unknown type into a message text', async () => {
    const [refused] = refusedOf(await readBody(latin1(message('1', 'M-1').replace('ADT^A08', 'JOHN DOE^X'))));
    expect(refused).toMatchObject({ code: 'UNSUPPORTED_TRANSACTION', item: 'of an unknown type' });
    expect(JSON.stringify(refused)).not.toContain('DOE');
  });

  it('rejects bytes that are not HL7, NULs, UTF-16 and a header without separators by code', async () => {
    const bodies: [Buffer, string][] = [
      [latin1('PID|1||M-1\r'), 'NOT_HL7'],
      [Buffer.from(`\ufeff${message('1', 'M-1')}`, 'utf16le'), 'UNSUPPORTED_ENCODING'],
      [latin1(message('1', 'M-1').replace('NAME', 'NA\u0000ME')), 'NUL_IN_MESSAGE'],
      [latin1(message('1', 'M-1').replace('^~\\&', '^^\\&')), 'HEADER_UNREADABLE'],
      [latin1(header('1')), 'MESSAGE_EMPTY'],
      [latin1(message('1', 'M-1').replace('ADT^A08', '')), 'MESSAGE_TYPE_MISSING'],
      [latin1(`${message('1', 'M-1')}PV1|${'x'.repeat(2_000_000)}\r`), 'SEGMENT_TOO_LONG'],
    ];
    for (const [body, code] of bodies) {
      const items = await readBody(body);
      expect(refusedOf(items).map((item) => item.code)).toEqual([code]);
      expect(eventsOf(items)).toEqual([]);
    }
  });

  it('loses only the message with a line of 40 MB, without holding it', async () => {
    const long = Array.from({ length: 40 }, () => Buffer.alloc(1024 * 1024, 'x'));
    const chunks = [latin1(`${message('1', 'M-1')}OBX|1|TX|`), ...long, latin1(`\r${message('2', 'M-2')}`)];
    const items = await readBody(chunks);
    expect(members(items)).toEqual(['M-2']);
    expect(refusedOf(items)).toMatchObject([
      { code: 'MESSAGE_TOO_LONG', position: { byteOffset: 0, segmentNumber: 1 } },
    ]);
  });
});

describe('a hostile message', () => {
  it('is rejected, or its lists are bounded', async () => {
    const orders = `${header('1').replace('ADT^A08', 'ORM^O01')}PID|1||M-1\r${'NTE|1\r'.repeat(9_000)}${'ORC|NW\r'.repeat(9_000)}`;
    expect(refusedOf(await readBody(latin1(orders)))).toMatchObject([{ code: 'MESSAGE_TOO_LONG' }]);
    const doses = `${header('1').replace('ADT^A08', 'VXU^V04')}PID|1||M-1\r${'RXA|1\rNTE|1\r'.repeat(9_000)}`;
    expect(refusedOf(await readBody(latin1(doses)))).toMatchObject([{ code: 'MESSAGE_TOO_LONG' }]);
    const repeated = `${header('1')}EVN|A08|20260301\rPID|1||${'M-1~'.repeat(200_000)}||${'&'.repeat(10_000)}\r`;
    const [event] = eventsOf(await readBody(latin1(repeated)));
    expect(event?.envelope.member_id).toBe('M-1');
    const lines = `${message('1', 'M-1')}OBX|1|TX|N||${'line~'.repeat(30_000)}||||||F\r`;
    const [long] = eventsOf(await readBody(latin1(lines)));
    expect(long?.envelope.payload['results']).toMatchObject([{ values: [expect.stringMatching(/^line\nline/)] }]);
    expect(long?.warnings.map(({ code }) => code)).toEqual(['RESULTS_OMITTED']);
    const many = `${message('1', 'M-1')}${'OBX|1|NM|8867-4^Heart rate^LN||72|/min|60-100|N|||F\r'.repeat(3_000)}`;
    const [bounded] = eventsOf(await readBody(latin1(many)));
    expect(bounded?.envelope.payload['results']).toHaveLength(500);
    expect(bounded?.warnings.map(({ code }) => code)).toEqual(['RESULTS_OMITTED']);
  });
});

describe('text', () => {
  const named = async (body: Buffer): Promise<unknown> => {
    const [event] = eventsOf(await readBody(body));
    return (event?.envelope.payload['patient'] as { last_name?: string } | undefined)?.last_name;
  };
  const body = (charset: string, name: Buffer): Buffer =>
    Buffer.concat([
      latin1(`${header('1', `||||||${charset}`)}EVN|A08|20260301\rPID|1||M-1^^^PLAN^MB||`),
      name,
      latin1('^GIVEN\r'),
    ]);

  it('is decoded by the character set of MSH-18', async () => {
    expect(await named(body('8859/1', latin1('M\u00fcller')))).toBe('M\u00fcller');
    expect(await named(body('UNICODE UTF-8', Buffer.from('Nov\u00e1k')))).toBe('Nov\u00e1k');
    expect(await named(body('8859/5', Buffer.from([0xbf, 0xd5, 0xe2, 0xe0])))).toBe('\u041f\u0435\u0442\u0440');
    expect(await named(body('GB 18030-2000', Buffer.from([0xd5, 0xc5])))).toBe('\u5f20');
    // The second byte of this character is the field separator's.
    expect(await named(body('GB 18030-2000', Buffer.from([0x81, 0x7c])))).toHaveLength(1);
  });

  it('is decoded as UTF-8, else as windows-1252, if invalid in its set', async () => {
    expect(await named(body('', Buffer.from('Nov\u00e1k')))).toBe('Nov\u00e1k');
    expect(await named(body('', latin1('M\u00fcller')))).toBe('M\u00fcller');
    expect(await named(body('UNICODE UTF-8', latin1('M\u00fcller')))).toBe('M\u00fcller');
    expect(codesOf(await readBody(body('UNICODE UTF-8', latin1('M\u00fcller'))))).toEqual(['CHARSET_MISMATCH']);
    expect(codesOf(await readBody(body('', Buffer.from('Nov\u00e1k'))))).toEqual([]);
  });

  it('is unescaped; other text stays unchanged', async () => {
    expect(await named(body('', latin1('A\\F\\B\\S\\C\\T\\D\\R\\E\\E\\F')))).toBe('A|B^C&D~E\\F');
    expect(await named(body('', latin1('\\H\\bold\\N\\ \\X4A4F\\')))).toBe('bold JO');
    expect(await named(body('', latin1('C:\\path\\to')))).toBe('C:\\path\\to');
  });

  it('with unescaped line breaks is one value, with a warning', async () => {
    const note = `${message('1', 'M-1')}OBX|1|TX|N^Note^L||first line\nsecond line||||||F\r`;
    const [event] = eventsOf(await readBody(latin1(note)));
    expect(event?.envelope.payload['results']).toMatchObject([{ values: ['first line\nsecond line'], status: 'F' }]);
    expect(event?.warnings.map(({ code }) => code)).toEqual(['SEGMENT_CONTINUED']);
  });
});

describe('times', () => {
  const dated = async (evn: string, msh = '20260301'): Promise<unknown[]> => {
    const text = message('1', 'M-1').replace('EVN|A08|20260301', `EVN|A08|${evn}`).replace('|20260301||', `|${msh}||`);
    const [event] = eventsOf(await readBody(latin1(text)));
    return [event?.envelope.event_effective_timestamp, event?.duplicateKeyOmitsTime];
  };

  it('are read in every known form; an unreadable time is never guessed', async () => {
    expect(await dated('202603011126+0215')).toEqual(['2026-03-01T09:11:00.000Z', false]);
    expect(await dated('20260301112604.1234-0400')).toEqual(['2026-03-01T15:26:04.123Z', false]);
    expect(await dated('03/15/2026 14:30:00')).toEqual(['2026-03-15T14:30:00.000Z', false]);
    expect(await dated('03/05/2026 14:30:00', '20260302')).toEqual(['2026-03-02T00:00:00.000Z', false]);
    expect(await dated('20260231', '20260302')).toEqual(['2026-03-02T00:00:00.000Z', false]);
    expect(await dated('x', 'y')).toEqual(['2026-04-01T12:00:00.000Z', true]);
  });
});
