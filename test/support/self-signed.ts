import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

// A certificate made on the spot (RFC 5280), so that no key lies in the repository and no tool need be there.

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const length = (n: number): Buffer => {
  if (n < 128) return Buffer.from([n]);
  const bytes = n < 256 ? [n] : [n >> 8, n & 255];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
};
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const oid = (...bytes: readonly number[]): Buffer => der(0x06, Buffer.from(bytes));
const time = (at: Date): Buffer =>
  der(0x18, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`, 'latin1'));

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = oid(0x55, 0x04, 0x03);
const ALT_NAME = oid(0x55, 0x1d, 0x11);
const BASIC = oid(0x55, 0x1d, 0x13);
const DAY_MS = 86_400_000;

/** Valid for `names` (DNS names) from yesterday to `endsAt`; it is its own authority. */
export function selfSigned(names: readonly string[], endsAt = new Date(Date.now() + DAY_MS)): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(names[0] ?? 'test')))));
  const alternatives = sequence(...names.map((each) => der(0x82, Buffer.from(each, 'latin1'))));
  const extensions = sequence(
    sequence(BASIC, der(0x01, Buffer.from([0xff])), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
    sequence(ALT_NAME, der(0x04, alternatives)),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    sequence(time(new Date(Math.min(Date.now(), endsAt.getTime()) - DAY_MS)), time(endsAt)),
    name,
    publicKeyDer(publicKey),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const certificate = sequence(body, ECDSA_SHA256, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const publicKeyDer = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
