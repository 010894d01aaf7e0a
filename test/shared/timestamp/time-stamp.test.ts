import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  childrenOf,
  DER_TAGS,
  DerFault,
  der,
  derInteger,
  derOid,
  oidText,
  readDer,
} from '../../../shared/timestamp/der.js';
import {
  checkTimestamp,
  readTimestamp,
  TimestampFault,
  timestampRequest,
} from '../../../shared/timestamp/time-stamp.js';
import { describeUnless, lackOf } from '../../support/needs.js';
import { opensslStamps, startTimeStampAuthority, type TimeStampAuthority } from '../../support/time-stamp-authority.js';

const withOpenssl = describeUnless(lackOf(opensslStamps(), 'openssl ts'));
const DATA = Buffer.from('what is stamped');
const asked = { sha256: createHash('sha256').update(DATA).digest(), nonce: Buffer.from('00f1e2d3c4b5a697', 'hex') };

describe('DER', () => {
  it('encodes lengths of every size, and reads them back', () => {
    for (const size of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const content = Buffer.alloc(size, 5);
      const [node, ...rest] = readDer(der(DER_TAGS.OCTET_STRING, content));
      expect(node?.content.equals(content)).toBe(true);
      expect(rest).toEqual([]);
    }
  });

  it('encodes integers as non-negative, and as short as possible', () => {
    expect(derInteger(Buffer.from([0x80])).toString('hex')).toBe('02020080');
    expect(derInteger(Buffer.from([0, 0, 0x7f])).toString('hex')).toBe('02017f');
    expect(derInteger(Buffer.from([0])).toString('hex')).toBe('020100');
  });

  it.each([
    ['1.2.840.113549.1.9.16.1.4', '060b2a864886f70d0109100104'],
    ['2.16.840.1.101.3.4.2.1', '0609608648016503040201'],
    ['2.999.1', '0603883701'],
  ])('encodes object identifier %s', (text, hex) => {
    expect(derOid(text).toString('hex')).toBe(hex);
    const [node] = readDer(Buffer.from(hex, 'hex'));
    expect(node && oidText(node)).toBe(text);
  });

  it.each(['30', '3002', '300201', '3080', '30850100000000', '1f0100', '308201'])('reports %s as truncated', (hex) => {
    expect(() => readDer(Buffer.from(hex, 'hex'))).toThrow(DerFault);
  });
});

withOpenssl.each(['rsa:2048', 'ec'] as const)('a time-stamp of openssl ts, %s', (keyType) => {
  let authority: TimeStampAuthority;
  let reply: Buffer;

  beforeAll(async () => {
    authority = await startTimeStampAuthority(keyType);
    reply = await authority.reply(timestampRequest(asked));
  });
  afterAll(() => authority.stop());

  it('answers the service’s request, and is readable', () => {
    const token = readTimestamp(reply, asked);
    expect(token).toMatchObject({ policy: '1.2.3.4.1', authority: 'CN=Test authority' });
    expect(Math.abs(Date.parse(token.gen_time) - Date.now())).toBeLessThan(600_000);
    expect(authority.verify(reply, DATA)).toContain('OK');
  });

  it('covers one hash, for one request', () => {
    const other = { ...asked, sha256: Buffer.alloc(32) };
    expect(() => readTimestamp(reply, other)).toThrow('it is over another hash');
    expect(() => readTimestamp(reply, { ...asked, nonce: Buffer.from([1]) })).toThrow('it answers another request');
  });

  it('with a flipped bit is rejected or has the same meaning', () => {
    const told = readTimestamp(reply, asked);
    let refused = 0;
    for (let at = 0; at < reply.length; at += 3) {
      const spoiled = Buffer.from(reply);
      spoiled[at] = (spoiled[at] ?? 0) ^ 0x10;
      try {
        // A verifier that trusts the certificate in the token checks it by its chain.
        const { authority: _, ...found } = readTimestamp(spoiled, asked);
        expect(told).toMatchObject(found);
      } catch (error) {
        if (!(error instanceof TimestampFault)) throw error;
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(reply.length / 12);
  });

  it('reports a rejection, and an answer that is invalid', () => {
    const rejection = der(DER_TAGS.SEQUENCE, der(DER_TAGS.SEQUENCE, derInteger(Buffer.from([2]))));
    expect(() => readTimestamp(rejection, asked)).toThrow('not granted (status 2)');
    for (const noise of [Buffer.alloc(0), Buffer.from('<html>'), reply.subarray(0, 100)]) {
      expect(() => readTimestamp(noise, asked)).toThrow(TimestampFault);
    }
  });
});

withOpenssl('the certificate of a time-stamp', () => {
  async function replyOf(authority: TimeStampAuthority): Promise<Buffer> {
    const reply = await authority.reply(timestampRequest(asked));
    await authority.stop();
    return reply;
  }

  it.each(['sha1', 'sha256', 'sha512'] as const)('may be named in the attributes by %s', async (certificateDigest) => {
    const authority = await startTimeStampAuthority('ec', { certificateDigest });
    expect(readTimestamp(await replyOf(authority), asked).policy).toBe('1.2.3.4.1');
  });

  it('leads to its root, as of the time of the stamp, and to no other', async () => {
    const [authority, other] = [await startTimeStampAuthority('ec'), await startTimeStampAuthority('ec')];
    const { leadsTo, token } = checkTimestamp(await replyOf(authority), { sha256: asked.sha256 });
    await other.stop();
    const [root, stranger] = [new X509Certificate(authority.ca), new X509Certificate(other.ca)];
    expect(token.authority).toBe('CN=Test authority');
    expect([leadsTo([root]), leadsTo([stranger, root]), leadsTo([stranger]), leadsTo([])]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  describe('is refused', () => {
    let folder: string;
    const at = (name: string): string => join(folder, name);
    const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'eas-tsa-forged-'));
      const [, token] = childrenOf(readDer(await replyOf(await startTimeStampAuthority('ec')))[0], DER_TAGS.SEQUENCE);
      const [, wrapped] = childrenOf(token, DER_TAGS.SEQUENCE);
      const [data] = childrenOf(wrapped, DER_TAGS.CONTEXT_0);
      const [, , encapsulated] = childrenOf(data, DER_TAGS.SEQUENCE);
      const [, content] = childrenOf(encapsulated, DER_TAGS.SEQUENCE);
      const info = childrenOf(content, DER_TAGS.CONTEXT_0)[0]?.content.toString('latin1') ?? '';
      // The forger's certificates begin now; the statement is of 2050.
      const later = info.replace(/20\d\d(?=\d{10}Z)/, '2050');
      expect(later).not.toBe(info);
      writeFileSync(at('info.der'), Buffer.from(later, 'latin1'));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    /** The same statement, signed by a certificate with these extensions. */
    function signedBy(extension: readonly string[], signing: readonly string[], days = '36500'): Buffer {
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('key.pem')];
      const added = extension.flatMap((one) => ['-addext', one]);
      openssl('req', '-x509', ...key, '-subj', '/CN=Forger', '-days', days, ...added, '-out', at('cert.pem'));
      const type = ['-econtent_type', '1.2.840.113549.1.9.16.1.4', '-signer', at('cert.pem'), '-inkey', at('key.pem')];
      const whole = ['-binary', '-nodetach', '-outform', 'DER', '-md', 'sha256'];
      const token = openssl('cms', '-sign', '-in', at('info.der'), ...type, ...whole, ...signing);
      return der(DER_TAGS.SEQUENCE, der(DER_TAGS.SEQUENCE, derInteger(Buffer.from([0]))), token);
    }

    it('in none of its parts, if all are as RFC 3161 asks', () => {
      const reply = signedBy(['extendedKeyUsage=critical,timeStamping'], ['-cades']);
      expect(readTimestamp(reply, asked).authority).toBe('CN=Forger');
    });

    it('if it was not valid at the time of the stamp', () => {
      const reply = signedBy(['extendedKeyUsage=critical,timeStamping'], ['-cades'], '2');
      expect(() => readTimestamp(reply, asked)).toThrow('not valid at its time');
    });

    it.each<[string, readonly string[], readonly string[], string]>([
      ['for no purpose', [], ['-cades'], 'not for time-stamps alone'],
      ['whose purpose is not critical', ['extendedKeyUsage=timeStamping'], ['-cades'], 'not for time-stamps alone'],
      ['for servers', ['extendedKeyUsage=critical,serverAuth'], ['-cades'], 'not for time-stamps alone'],
      [
        'for servers too',
        ['extendedKeyUsage=critical,timeStamping,serverAuth'],
        ['-cades'],
        'not for time-stamps alone',
      ],
      [
        'that the attributes do not name',
        ['extendedKeyUsage=critical,timeStamping'],
        [],
        'do not name the certificate',
      ],
    ])('%s', (_what, extension, signing, words) => {
      expect(() => readTimestamp(signedBy(extension, signing), asked)).toThrow(words);
    });
  });
});
