import { hash, verify, X509Certificate } from 'node:crypto';
import { childrenOf, DER_TAGS, DerFault, type DerNode, der, derInteger, derOid, oidText, readDer } from './der.js';

// RFC 3161: a time-stamp authority signs that some hash existed at some time. The request names the SHA-256 of the
// stamped bytes; the answer is stored unchanged, so that any tool can verify it (`openssl ts -verify`).

export const TIMESTAMP_QUERY = 'application/timestamp-query';
export const TIMESTAMP_REPLY = 'application/timestamp-reply';

const OIDS = {
  sha256: '2.16.840.1.101.3.4.2.1',
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  messageDigest: '1.2.840.113549.1.9.4',
} as const;

/** Digests that a token's own signature may stand on. */
const DIGESTS: Readonly<Record<string, string>> = {
  [OIDS.sha256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

interface TimestampQuery {
  readonly sha256: Uint8Array;
  readonly nonce: Uint8Array;
}

/** TimeStampReq, DER (section 2.4.1); asks for the certificate of the authority too. */
export function timestampRequest({ sha256, nonce }: TimestampQuery): Buffer {
  const algorithm = der(DER_TAGS.SEQUENCE, derOid(OIDS.sha256), der(DER_TAGS.NULL));
  const imprint = der(DER_TAGS.SEQUENCE, algorithm, der(DER_TAGS.OCTET_STRING, sha256));
  const certReq = der(DER_TAGS.BOOLEAN, Buffer.from([0xff]));
  return der(DER_TAGS.SEQUENCE, derInteger(Buffer.from([1])), imprint, derInteger(nonce), certReq);
}

interface TimestampToken {
  /** When the authority says that the hash existed, RFC 3339. */
  readonly gen_time: string;
  /** Hex. */
  readonly serial: string;
  readonly policy: string;
  /** Subject of the certificate that signed. */
  readonly authority: string;
}

/** Faults of an answer; the texts go to the record and the log. */
export class TimestampFault extends Error {}

/**
 * Reads a TimeStampResp and holds it to its request: granted, over our hash, with our nonce, signed by the certificate in it.
 * Whether that certificate is to be trusted is for those to say who rely on it.
 *
 * @throws TimestampFault
 */
export function readTimestamp(reply: Buffer, asked: TimestampQuery): TimestampToken {
  try {
    const [statusInfo, token] = childrenOf(onlyOf(readDer(reply)), DER_TAGS.SEQUENCE);
    const status = childrenOf(statusInfo, DER_TAGS.SEQUENCE)[0]?.content[0];
    if (status !== 0 && status !== 1) throw new TimestampFault(`not granted (status ${status ?? 'missing'})`);
    const signed = signedDataOf(token);
    const info = childrenOf(onlyOf(readDer(signed.info)), DER_TAGS.SEQUENCE);
    holdTo(info, asked);
    const [, policy, , serial, genTime] = info;
    return {
      gen_time: timeOf(genTime),
      serial: serial?.content.toString('hex') ?? '',
      policy: policy ? oidText(policy) : '',
      authority: signerOf(signed),
    };
  } catch (error) {
    if (error instanceof DerFault) throw new TimestampFault(`the answer does not read: ${error.message}`);
    throw error;
  }
}

function onlyOf(nodes: readonly DerNode[]): DerNode | undefined {
  if (nodes.length !== 1) throw new DerFault('more than one element, or none');
  return nodes[0];
}

interface SignedData {
  /** TSTInfo, DER. */
  readonly info: Buffer;
  readonly certificates: readonly Buffer[];
  readonly signerInfo: readonly DerNode[];
}

/** CMS SignedData (RFC 5652 section 5.1) around a TSTInfo. */
function signedDataOf(token: DerNode | undefined): SignedData {
  const [type, wrapped] = childrenOf(token, DER_TAGS.SEQUENCE);
  if (!type || oidText(type) !== OIDS.signedData) throw new DerFault('no signed data');
  const [data] = childrenOf(wrapped, DER_TAGS.CONTEXT_0);
  const [, , encapsulated, ...rest] = childrenOf(data, DER_TAGS.SEQUENCE);
  const [infoType, infoWrapped] = childrenOf(encapsulated, DER_TAGS.SEQUENCE);
  if (!infoType || oidText(infoType) !== OIDS.tstInfo) throw new DerFault('no time-stamp');
  const [octets] = childrenOf(infoWrapped, DER_TAGS.CONTEXT_0);
  if (octets?.tag !== DER_TAGS.OCTET_STRING) throw new DerFault('no content');
  const certificates = rest.find(({ tag }) => tag === DER_TAGS.CONTEXT_0);
  const signers = childrenOf(rest.at(-1), DER_TAGS.SET);
  return {
    info: octets.content,
    certificates: certificates ? readDer(certificates.content).map(({ whole }) => whole) : [],
    signerInfo: childrenOf(onlyOf(signers), DER_TAGS.SEQUENCE),
  };
}

function holdTo(info: readonly DerNode[], { sha256, nonce }: TimestampQuery): void {
  const [algorithm, imprint] = childrenOf(info[2], DER_TAGS.SEQUENCE);
  const [oid] = childrenOf(algorithm, DER_TAGS.SEQUENCE);
  if (!oid || oidText(oid) !== OIDS.sha256 || imprint?.content.equals(sha256) !== true) {
    throw new TimestampFault('it is over another hash');
  }
  const echoed = info.slice(5).find(({ tag }) => tag === DER_TAGS.INTEGER);
  if (echoed?.whole.equals(derInteger(nonce)) !== true) throw new TimestampFault('it answers another request');
}

/** GeneralizedTime as RFC 3161 has it: `20260304000000.123Z`, the fraction where there is one. */
function timeOf(node: DerNode | undefined): string {
  const text = node?.tag === DER_TAGS.GENERALIZED_TIME ? node.content.toString('latin1') : '';
  const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  if (!found) throw new DerFault('no time');
  const [, year, month, day, hour, minute, second, fraction] = found;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}Z`;
}

/** Returns the certificate of the signing key. The signature covers the attributes; one of them is the content's digest. */
function signerOf({ info, certificates, signerInfo }: SignedData): string {
  const attributes = signerInfo.find(({ tag }) => tag === DER_TAGS.CONTEXT_0);
  const [digestOid] = childrenOf(signerInfo[2], DER_TAGS.SEQUENCE);
  const digest = digestOid ? DIGESTS[oidText(digestOid)] : undefined;
  const signature = signerInfo.find(({ tag }) => tag === DER_TAGS.OCTET_STRING);
  if (!attributes || !digest || !signature)
    throw new TimestampFault('its signature is of a kind that is not supported');
  const stated = readDer(attributes.content)
    .map((attribute) => childrenOf(attribute, DER_TAGS.SEQUENCE))
    .find(([oid]) => oid && oidText(oid) === OIDS.messageDigest);
  const [value] = childrenOf(stated?.[1], DER_TAGS.SET);
  if (value?.content.equals(hash(digest, info, 'buffer')) !== true) throw new TimestampFault('its content was altered');
  // RFC 5652 section 5.4: the signed bytes have the tag of a SET in place of [0].
  const signedBytes = der(DER_TAGS.SET, attributes.content);
  for (const bytes of certificates) {
    const certificate = certificateOf(bytes);
    if (certificate && isSignedBy(certificate, digest, signedBytes, signature.content)) {
      return certificate.subject.replaceAll('\n', ', ');
    }
  }
  throw new TimestampFault('no certificate in it has signed it');
}

/** Undefined for one that does not read: it has signed nothing. */
function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

/** A key or a signature that the library cannot use signs nothing either. */
function isSignedBy(certificate: X509Certificate, digest: string, data: Buffer, signature: Buffer): boolean {
  try {
    return verify(digest, data, certificate.publicKey, signature);
  } catch {
    return false;
  }
}
