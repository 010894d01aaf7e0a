import type { X509Certificate } from 'node:crypto';
import { childrenOf, DER_TAGS, DerFault, type DerNode, der, derInteger, derOid, oidText, readDer } from './der.js';
import {
  CertificateFault,
  isValidAt,
  leadsToRoot,
  type SignedData,
  signingCertificate,
} from './signing-certificate.js';

// RFC 3161: a time-stamp authority signs that some hash existed at some time. The request names the SHA-256 of the
// stamped bytes; the answer is stored unchanged, so that any tool can verify it (`openssl ts -verify`).

export const TIMESTAMP_QUERY = 'application/timestamp-query';
export const TIMESTAMP_REPLY = 'application/timestamp-reply';

const OIDS = {
  sha256: '2.16.840.1.101.3.4.2.1',
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
} as const;

interface StampedContent {
  readonly sha256: Uint8Array;
  readonly nonce?: Uint8Array;
}
type TimestampQuery = Required<StampedContent>;

/** TimeStampReq, DER (section 2.4.1); asks for the certificate of the authority too. */
export function timestampRequest({ sha256, nonce }: TimestampQuery): Buffer {
  const algorithm = der(DER_TAGS.SEQUENCE, derOid(OIDS.sha256), der(DER_TAGS.NULL));
  const imprint = der(DER_TAGS.SEQUENCE, algorithm, der(DER_TAGS.OCTET_STRING, sha256));
  const certReq = der(DER_TAGS.BOOLEAN, Buffer.from([0xff]));
  return der(DER_TAGS.SEQUENCE, derInteger(Buffer.from([1])), imprint, derInteger(nonce), certReq);
}

export interface TimestampToken {
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

/** A token with a valid signature, and the certificates in it. */
interface CheckedTimestamp {
  readonly token: TimestampToken;
  /** Whether the authority's certificate leads to one of these roots, as of the time of the stamp. */
  leadsTo(roots: readonly X509Certificate[]): boolean;
}

/**
 * Reads a TimeStampResp and holds it to its request: granted, over our hash, with our nonce, and signed by a certificate in
 * it that is for time-stamps alone, that the signed attributes name, and that was valid at the time of the stamp. Whether
 * that certificate is to be trusted is for those to say who rely on it.
 *
 * @throws TimestampFault
 */
export const readTimestamp = (reply: Buffer, asked: TimestampQuery): TimestampToken =>
  checkTimestamp(reply, asked).token;

/**
 * @param asked without the nonce for a stored answer: it was compared when the answer came.
 * @see readTimestamp
 * @throws TimestampFault
 */
export function checkTimestamp(reply: Buffer, asked: StampedContent): CheckedTimestamp {
  try {
    const [statusInfo, wrapped] = childrenOf(onlyOf(readDer(reply)), DER_TAGS.SEQUENCE);
    const status = childrenOf(statusInfo, DER_TAGS.SEQUENCE)[0]?.content[0];
    if (status !== 0 && status !== 1) throw new TimestampFault(`not granted (status ${status ?? 'missing'})`);
    const signed = signedDataOf(wrapped);
    const info = childrenOf(onlyOf(readDer(signed.info)), DER_TAGS.SEQUENCE);
    holdTo(info, asked);
    const [, policy, , serial, genTime] = info;
    const gen_time = timeOf(genTime);
    const certificate = signingCertificate(signed);
    const atMs = Date.parse(gen_time);
    if (!isValidAt(certificate, atMs)) throw new TimestampFault('its certificate was not valid at its time');
    const token = {
      gen_time,
      serial: serial?.content.toString('hex') ?? '',
      policy: policy ? oidText(policy) : '',
      authority: certificate.subject.replaceAll('\n', ', '),
    };
    return { token, leadsTo: (roots) => leadsToRoot(certificate, signed.certificates, roots, atMs) };
  } catch (error) {
    if (error instanceof CertificateFault) throw new TimestampFault(error.message);
    if (error instanceof DerFault) throw new TimestampFault(`the answer does not read: ${error.message}`);
    throw error;
  }
}

function onlyOf(nodes: readonly DerNode[]): DerNode | undefined {
  if (nodes.length !== 1) throw new DerFault('more than one element, or none');
  return nodes[0];
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

function holdTo(info: readonly DerNode[], { sha256, nonce }: StampedContent): void {
  const [algorithm, imprint] = childrenOf(info[2], DER_TAGS.SEQUENCE);
  const [oid] = childrenOf(algorithm, DER_TAGS.SEQUENCE);
  if (!oid || oidText(oid) !== OIDS.sha256 || imprint?.content.equals(sha256) !== true) {
    throw new TimestampFault('it is over another hash');
  }
  if (nonce === undefined) return;
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
