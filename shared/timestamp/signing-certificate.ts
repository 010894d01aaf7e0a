import { hash, verify, X509Certificate } from 'node:crypto';
import { childrenOf, DER_TAGS, DerFault, type DerNode, der, derOid, oidText, readDer } from './der.js';

// The certificate that signed a time-stamp token, and whether it may sign one (RFC 3161 section 2.3, RFC 5816).

const OIDS = {
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
} as const;

/** Digests that a token's own signature may stand on. */
const DIGESTS: Readonly<Record<string, string>> = {
  [OIDS.sha256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Why a certificate may not have signed the token. */
export class CertificateFault extends Error {}

export interface SignedData {
  /** TSTInfo, DER. */
  readonly info: Buffer;
  readonly certificates: readonly Buffer[];
  readonly signerInfo: readonly DerNode[];
}

/**
 * Returns the certificate that signed, of those in the token: its key signed the attributes, the attributes name it and the
 * content, and it is for time-stamps alone.
 *
 * @throws CertificateFault, DerFault
 */
export function signingCertificate({ info, certificates, signerInfo }: SignedData): X509Certificate {
  const attributes = signerInfo.find(({ tag }) => tag === DER_TAGS.CONTEXT_0);
  const [digestOid] = childrenOf(signerInfo[2], DER_TAGS.SEQUENCE);
  const digest = digestOid ? DIGESTS[oidText(digestOid)] : undefined;
  const signature = signerInfo.find(({ tag }) => tag === DER_TAGS.OCTET_STRING);
  if (!attributes || !digest || !signature)
    throw new CertificateFault('its signature is of a kind that is not supported');
  const stated = attributesIn(attributes.content);
  const [value] = childrenOf(stated.get(OIDS.messageDigest), DER_TAGS.SET);
  if (value?.content.equals(hash(digest, info, 'buffer')) !== true)
    throw new CertificateFault('its content was altered');
  // RFC 5652 section 5.4: the signed bytes have the tag of a SET in place of [0].
  const signedBytes = der(DER_TAGS.SET, attributes.content);
  const signed = certificates
    .map(certificateOf)
    .find((one) => one !== undefined && isSignedBy(one, digest, signedBytes, signature.content));
  if (signed === undefined) throw new CertificateFault('no certificate in it has signed it');
  if (!isNamed(stated, signed)) throw new CertificateFault('its attributes do not name the certificate that signed it');
  if (!isForTimeStamps(signed)) throw new CertificateFault('its certificate is not for time-stamps alone');
  return signed;
}

/**
 * Whether a chain of the given certificates leads from this one to a root, each valid at this instant.
 *
 * @param roots certificates that the deployment trusts
 */
export function leadsToRoot(
  certificate: X509Certificate,
  others: readonly Buffer[],
  roots: readonly X509Certificate[],
  atMs: number,
): boolean {
  const between = others.map(certificateOf).filter((one) => one !== undefined);
  let current = certificate;
  for (let depth = 0; depth <= MAX_CHAIN; depth++) {
    if (!isValidAt(current, atMs)) return false;
    const issuedBy = (issuer: X509Certificate): boolean => issuer.ca && isIssuer(issuer, current);
    if (roots.some((root) => root.fingerprint256 === current.fingerprint256)) return true;
    const root = roots.find(issuedBy);
    if (root !== undefined) return isValidAt(root, atMs);
    const next = between.find((one) => one.fingerprint256 !== current.fingerprint256 && issuedBy(one));
    if (next === undefined) return false;
    current = next;
  }
  return false;
}

/** Certificates between the authority's own and a root. */
const MAX_CHAIN = 4;

/** Undefined for one that does not read: it has signed nothing. */
function certificateOf(bytes: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

export const isValidAt = ({ validFrom, validTo }: X509Certificate, atMs: number): boolean =>
  Date.parse(validFrom) <= atMs && atMs <= Date.parse(validTo);

/** A key that the library cannot use has issued nothing. */
function isIssuer(issuer: X509Certificate, of: X509Certificate): boolean {
  try {
    return of.checkIssued(issuer) && of.verify(issuer.publicKey);
  } catch {
    return false;
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

/** The sets of values by their type. */
function attributesIn(content: Buffer): ReadonlyMap<string, DerNode> {
  const found = new Map<string, DerNode>();
  for (const attribute of readDer(content)) {
    const [oid, values] = childrenOf(attribute, DER_TAGS.SEQUENCE);
    if (oid && values) found.set(oidText(oid), values);
  }
  return found;
}

/** RFC 5816: the first ESSCertIDv2 is of the signing certificate; RFC 2634 has it with SHA-1, as older authorities do. */
function isNamed(stated: ReadonlyMap<string, DerNode>, { raw }: X509Certificate): boolean {
  const v2 = stated.get(OIDS.signingCertificateV2);
  const values = v2 ?? stated.get(OIDS.signingCertificate);
  if (values === undefined) return false;
  const [attribute] = childrenOf(values, DER_TAGS.SET);
  const [ids] = childrenOf(attribute, DER_TAGS.SEQUENCE);
  const [first] = childrenOf(ids, DER_TAGS.SEQUENCE);
  const members = childrenOf(first, DER_TAGS.SEQUENCE);
  const named = members.find(({ tag }) => tag === DER_TAGS.OCTET_STRING);
  const algorithm = members[0]?.tag === DER_TAGS.SEQUENCE ? members[0] : undefined;
  const digest = v2 === undefined ? 'sha1' : digestOf(algorithm);
  return digest !== undefined && named?.content.equals(hash(digest, raw, 'buffer')) === true;
}

/** SHA-256 by default (RFC 5035 section 4). */
function digestOf(algorithm: DerNode | undefined): string | undefined {
  if (algorithm === undefined) return 'sha256';
  const [oid] = childrenOf(algorithm, DER_TAGS.SEQUENCE);
  return oid && DIGESTS[oidText(oid)];
}

/** RFC 3161 section 2.3: the extension is critical, and names time-stamping and nothing else. */
function isForTimeStamps({ raw }: X509Certificate): boolean {
  const usage = extensionsOf(raw).find(([oid]) => oid && oidText(oid) === OIDS.extendedKeyUsage);
  if (usage === undefined) return false;
  const [, critical, value] = usage;
  if (critical?.tag !== DER_TAGS.BOOLEAN || critical.content[0] !== 0xff || value === undefined) return false;
  const [list] = readDer(value.content);
  const purposes = childrenOf(list, DER_TAGS.SEQUENCE);
  return purposes.length === 1 && purposes[0]?.whole.equals(derOid(OIDS.timeStamping)) === true;
}

/** The extensions of a certificate, each as its members (RFC 5280 section 4.1). */
function extensionsOf(raw: Buffer): readonly (readonly DerNode[])[] {
  const [certificate] = readDer(raw);
  const [body] = childrenOf(certificate, DER_TAGS.SEQUENCE);
  const wrapped = childrenOf(body, DER_TAGS.SEQUENCE).find(({ tag }) => tag === DER_TAGS.CONTEXT_3);
  if (wrapped === undefined) return [];
  const [list] = readDer(wrapped.content);
  if (list === undefined) throw new DerFault('no extensions');
  return childrenOf(list, DER_TAGS.SEQUENCE).map((extension) => childrenOf(extension, DER_TAGS.SEQUENCE));
}
