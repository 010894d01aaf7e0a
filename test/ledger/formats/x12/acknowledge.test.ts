import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { seeded } from '../../../support/random.js';
import { answerTo, expectCounts, expectPlaces, expectWellFormed, named, transactionsIn } from './answers.js';

const fixture = (name: string): Buffer => readFileSync(join(process.cwd(), 'test/ledger/formats/x12/fixtures', name));
const text = (name: string): string => fixture(name).toString('latin1');
const bytes = (body: string): Buffer => Buffer.from(body, 'latin1');

const samples = join(process.cwd(), '..', 'shared', 'samples', 'x12');
const files = existsSync(samples) ? readdirSync(samples).filter((name) => !name.endsWith('.md')) : [];

describe('a clean interchange', () => {
  it('is answered TA1 A and an accepting 999 with swapped addresses', async () => {
    const answer = await answerTo(fixture('professional.837'));
    expectWellFormed(answer ?? []);
    const [isa] = named(answer, 'ISA');
    const sent = text('professional.837').split('~')[0]?.split('*') ?? [];
    expect([isa?.[5], isa?.[6], isa?.[7], isa?.[8]]).toEqual([sent[7], sent[8], sent[5], sent[6]]);
    expect(named(answer, 'TA1')).toEqual([['TA1', sent[13], sent[9], sent[10], 'A', '000']]);
    const gs = text('professional.837')
      .split('~')
      .map((one) => one.trim().split('*'))
      .find(([id]) => id === 'GS');
    expect(named(answer, 'AK1')).toEqual([['AK1', gs?.[1], gs?.[6], gs?.[8]]]);
    expect(named(answer, 'IK5')).toEqual([['IK5', 'A']]);
    expect(named(answer, 'AK9')).toEqual([['AK9', 'A', '1', '1', '1']]);
    expect(named(answer, 'ST')).toEqual([['ST', '999', '0001', '005010X231A1']]);
    expect(named(answer, 'GS')[0]?.[1]).toBe('FA');
  });

  it('is reported as a duplicate when repeated: accepted with errors, or rejected by strict reading', async () => {
    const duplicate = () => ({ status: 'DUPLICATE' }) as const;
    const lenient = await answerTo(fixture('professional.837'), {}, duplicate);
    expect(named(lenient, 'TA1')[0]?.slice(4)).toEqual(['E', '025']);
    expect(named(lenient, 'AK9')).toEqual([['AK9', 'A', '1', '1', '1']]);
    const strict = await answerTo(fixture('professional.837'), { strict: true }, duplicate);
    expect(named(strict, 'TA1')[0]?.slice(4)).toEqual(['R', '025']);
    expect(named(strict, 'AK1')).toEqual([]);
  });

  it('is answered separately from others in the body, under consecutive numbers', async () => {
    const answer = await answerTo(fixture('two-interchanges.837'));
    expectWellFormed(answer ?? []);
    expect(named(answer, 'ISA').map((isa) => isa[13])).toEqual(['000000007', '000000008']);
    expect(named(answer, 'TA1')).toHaveLength(2);
  });
});

describe('a fault', () => {
  it('is placed by segment position and element', async () => {
    const answer = await answerTo(fixture('broken-claim.837'));
    const places = expectPlaces(answer ?? [], transactionsIn(text('broken-claim.837'), '~', '*'));
    expect(places).toBeGreaterThan(0);
    expect(named(answer, 'IK3')[0]?.[1]).toBe('CLM');
    expect(named(answer, 'IK4')[0]).toEqual(['IK4', '2', '', '6']);
    expect(named(answer, 'IK5')).toEqual([['IK5', 'E', '5']]);
    expect(named(answer, 'AK9')[0]?.[1]).toBe('E');
  });

  it('is E in lenient and R in strict reading, with the same reasons', async () => {
    const lenient = await answerTo(fixture('wrong-counts.837'));
    expectCounts(lenient ?? []);
    expect(named(lenient, 'IK5')[0]?.slice(0, 3)).toEqual(['IK5', 'E', '4']);
    const wrongSe = bytes(text('professional.837').replace(/SE\*\d+\*/, 'SE*3*'));
    const strict = await answerTo(wrongSe, { strict: true });
    expect(named(strict, 'IK5')).toEqual([['IK5', 'R', '4']]);
    expect(named(strict, 'AK9')).toEqual([['AK9', 'R', '1', '1', '0']]);
  });

  it('that cuts a transaction before its first claim is R', async () => {
    const body = text('professional.837');
    const answer = await answerTo(bytes(body.slice(0, body.indexOf('CLM*') - 30)));
    expect(named(answer, 'IK5')).toEqual([['IK5', 'R', '2']]);
    expect(named(answer, 'AK9')[0]?.slice(0, 5)).toEqual(['AK9', 'R', '1', '1', '0']);
  });

  it.each([
    ['IEA*1*', 'IEA*4*', '021'],
    [/IEA\*1\*\d+/, 'IEA*1*999999999', '001'],
    [/IEA\*[^~]*~/, '', '023'],
  ])(
    'of the interchange (%p) is the note of the TA1; strict reading rejects the interchange',
    async (from, to, note) => {
      const body = bytes(text('professional.837').replace(from, to));
      expect(named(await answerTo(body), 'TA1')[0]?.slice(4)).toEqual(['E', note]);
      const strict = await answerTo(body, { strict: true });
      expect(named(strict, 'TA1')[0]?.slice(4)).toEqual(['R', note]);
      expect(named(strict, 'AK9')).toEqual([]);
    },
  );

  it.each([
    [/GE\*\d+\*/, 'GE*9*', '5'],
    [/GE\*(\d+)\*\d+/, 'GE*$1*77777', '4'],
    [/GE\*[^~]*~/, '', '3'],
  ])('of the group (%p) is a reason of AK9', async (from, to, reason) => {
    const body = bytes(text('professional.837').replace(from, to));
    const [lenient] = named(await answerTo(body), 'AK9');
    expect([lenient?.[1], lenient?.[5]]).toEqual(['E', reason]);
    const [strict] = named(await answerTo(body, { strict: true }), 'AK9');
    expect([strict?.[1], strict?.[4], strict?.[5]]).toEqual(['R', '0', reason]);
  });

  it('of the service’s validation rejects a transaction without accepted events', async () => {
    const rejected = () => ({ status: 'REJECTED', code: 'VALIDATION_ERROR', message: 'no' }) as const;
    const answer = await answerTo(fixture('professional.837'), {}, rejected);
    expect(named(answer, 'IK5')).toEqual([['IK5', 'R', '5']]);
    const one = await answerTo(fixture('professional.837'), {}, (index) =>
      index === 0 ? rejected() : { status: 'ACCEPTED' },
    );
    expect(named(one, 'IK5')).toEqual([['IK5', 'E', '5']]);
  });

  it('of one transaction leaves the group partially accepted', async () => {
    const answer = await answerTo(fixture('unsupported.x12'));
    expect(named(answer, 'AK2').map((ak2) => ak2.slice(1, 3))).toEqual([
      ['864', '0001'],
      ['837', '0002'],
    ]);
    expect(named(answer, 'IK5')[0]).toEqual(['IK5', 'R', '1']);
    expect(named(answer, 'AK9')).toEqual([['AK9', 'P', '2', '2', '1']]);
  });

  it('of one group does not affect another: each has its own 999', async () => {
    const group = text('professional.837').match(/GS\*[\s\S]*GE\*[^~]*~\n/)?.[0] ?? '';
    const second = group.replace(/(GS(?:\*[^*]*){5})\*\d+/, '$1*902').replace(/GE\*(\d+)\*\d+/, 'GE*7*902');
    const body = text('professional.837')
      .replace(group, group + second)
      .replace('IEA*1*', 'IEA*2*');
    for (const strict of [false, true]) {
      const answer = await answerTo(bytes(body), { strict });
      expectWellFormed(answer ?? []);
      expect(named(answer, 'TA1')[0]?.slice(4)).toEqual(['A', '000']);
      expect(named(answer, 'ST').map((st) => st[2])).toEqual(['0001', '0002']);
      expect(named(answer, 'AK9').map((ak9) => [ak9[1], ak9[5]])).toEqual([
        ['A', undefined],
        [strict ? 'R' : 'E', '5'],
      ]);
    }
  });

  it('of another separator in a header does not break the answer', async () => {
    const odd = text('odd-separators.837');
    expectWellFormed((await answerTo(bytes(odd.replace('SENDER', 'S*N~ER')))) ?? []);
  });
});

describe('bodies without an answer', () => {
  it('acknowledgements get no answer', async () => {
    const isa =
      'ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *260302*1411*^*00501*000000001*0*P*:~';
    const group = (id: string, set: string) => `GS*${id}*S*R*20260302*1411*1*X*005010~ST*${set}*0001~SE*2*0001~GE*1*1~`;
    expect(await answerTo(bytes(`${isa}TA1*000000019*250101*1200*A*000~IEA*0*000000001~`))).toBeNull();
    expect(await answerTo(bytes(`${isa}${group('FA', '999')}IEA*1*000000001~`))).toBeNull();
    const unsupported = await answerTo(bytes(`${isa}${group('TX', '864')}IEA*1*000000001~`));
    expect(named(unsupported, 'IK5')).toEqual([['IK5', 'R', '1']]);
    expect(named(unsupported, 'AK9')).toEqual([['AK9', 'R', '1', '1', '0']]);
  });
});

describe('sample files', () => {
  for (const name of files) {
    it(`${name} gets a well-formed answer with valid places`, async () => {
      const body = readFileSync(join(samples, name));
      for (const strict of [false, true]) {
        const answer = await answerTo(body, { strict });
        if (answer === null) continue;
        expectWellFormed(answer);
        expectCounts(answer);
        const latin = body.toString('latin1').replace(/^\xef\xbb\xbf/, '');
        const isa = latin.slice(latin.indexOf('ISA'));
        const terminator = isa.charAt(105) === '\r' ? '\r' : isa.charAt(105);
        if (isa.startsWith('ISA')) expectPlaces(answer, transactionsIn(latin, terminator, isa.charAt(3)));
      }
    });
  }
});

/** A body with documents without a terminator: splitting by hand knows no stated lengths. */
const plainText = (name: string): string => text(name).replace(/BIN\*\d+\*[^\n]*~\n/, 'BIN*9*SYNTHETIC~\n');

describe('damaged bodies', () => {
  it('300 seeded rounds: every answer is well formed, adds up and places its faults', async () => {
    const random = seeded(999);
    const names = [
      'professional.837',
      'institutional.837',
      'remittance.835',
      'two-interchanges.837',
      'review.278',
      'enrollment.834',
      'inquiry.270',
      'status-request.276',
      'premium.820',
      'attachment.275',
    ];
    for (let round = 0; round < 300; round += 1) {
      const segments = plainText(names[Math.floor(random() * names.length)] ?? '').split('~');
      const from = Math.floor(random() * (segments.length - 3)) + 1;
      const taken = segments[from] ?? '';
      const cut = taken.split('*').slice(0, -1).join('*');
      const instead = [[], [taken, taken], [cut], [`${taken}X`], [taken.replace(/\d/g, 'Q')]][Math.floor(random() * 5)];
      const body = segments.toSpliced(from, 1, ...(instead ?? [])).join('~');
      const answer = await answerTo(bytes(body), { strict: random() < 0.3 });
      if (answer === null) continue;
      expectWellFormed(answer);
      expectCounts(answer);
      expectPlaces(answer, transactionsIn(body, '~', '*'));
    }
  });
});

describe('transaction sets that yield events', () => {
  it.each([
    ['enrollment.834', 'NM1*IL', 'E'],
    ['inquiry.270', 'NM1*IL', 'E'],
    ['status-request.276', 'REF*EJ', 'E'],
    ['premium.820', 'DTM*582', 'E'],
    // Its only event is rejected.
    ['attachment.275', 'NM1*QC', 'R'],
  ])('%s is accepted, and with a repeated %s its answer is %s', async (name, repeated, status) => {
    // A premium without a member is another fault.
    const body = text(name).replace('****34*000000012~', '****N*SYN0002~');
    const whole = await answerTo(bytes(body));
    expectWellFormed(whole ?? []);
    expect(named(whole, 'IK5')).toEqual([['IK5', 'A']]);
    expect(named(whole, 'AK9')[0]?.slice(0, 5)).toEqual(['AK9', 'A', '1', '1', '1']);
    const start = body.indexOf(repeated);
    const broken = body.slice(0, body.indexOf('~', start) + 1) + body.slice(start);
    const faulty = await answerTo(bytes(broken));
    expect(named(faulty, 'IK5')).toEqual([['IK5', status, '5', '4']]);
    expect(named(faulty, 'IK3')[0]?.[1]).toBe(repeated.split('*')[0]);
    expectPlaces(faulty ?? [], transactionsIn(broken, '~', '*'));
  });
});
