import type { ManifestFile, ManifestHeadline } from '../../../../shared/evidence/bundle/manifest.js';

// certificate/fre-902.txt: the draft of a certification under Federal Rules of Evidence 902(11), (13) and (14). The
// machine fills in facts. A qualified and responsible person completes, signs and serves it. It names no hash of
// manifest, signature or ZIP, because these include it.

/** Facts for the certificate. */
interface CertificateFacts
  extends Pick<
    ManifestHeadline,
    | 'bundle_id'
    | 'bundle_type'
    | 'scope'
    | 'requested_by'
    | 'requested_at'
    | 'sealed_at'
    | 'generator'
    | 'counts'
    | 'consent'
    | 'ledger'
    | 'anchoring'
    | 'content_digest'
    | 'signing_key_id'
  > {
  /** Entries named by their hash: all except manifest, signature, documents and the certificate itself. */
  readonly files: readonly ManifestFile[];
}

const WIDTH = 78;
const BLANK = '_'.repeat(40);

/** Returns the text with LF line ends. Equal facts give equal bytes. */
export function certificateText(facts: CertificateFacts): string {
  const parts = [heading(), identification(facts), regularActivity(), electronicProcess(facts), copiedData(facts)];
  return `${[...parts, limits(facts), declaration()].flat().join('\n')}\n`;
}

/** Puts caller-supplied facts on one line, without characters that could look like another line. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');

const heading = (): string[] => [
  'DRAFT - NOT SIGNED',
  '',
  'CERTIFICATION OF RECORDS AND OF ELECTRONIC DATA',
  'Federal Rules of Evidence 902(11), 902(13) and 902(14)',
  '',
  ...wrapped(
    'This draft was filled in by the system that produced the records. It certifies nothing by itself. A custodian of the records or another qualified person must review it, correct it, complete the blanks and sign it. Rule 902(11) asks, before the trial or hearing, for reasonable written notice to each adverse party, and for the record and the certification to be made available for inspection; Rules 902(13) and 902(14) ask for the same notice.',
  ),
  '',
];

function identification(facts: CertificateFacts): string[] {
  const { scope, counts, ledger, generator } = facts;
  const over = (['member_id', 'matter_id', 'incident_id'] as const).flatMap((name) =>
    scope[name] === undefined ? [] : [`${name} ${plain(scope[name])}`],
  );
  return [
    '1. THE RECORDS',
    '',
    ...listed([
      ['Bundle', `${facts.bundle_id} (${facts.bundle_type})`],
      ['Tenant', plain(scope.tenant_id)],
      ['Scope', over.join(', ')],
      ['Window', `${scope.from ?? 'no beginning'} to ${scope.to ?? 'no end'}`],
      ['Requested', `${facts.requested_at} by ${plain(facts.requested_by)}`],
      ['Sealed', facts.sealed_at],
      ['Events', `${counts.events}, of them ${counts.redacted} redacted and ${counts.disposed} disposed of`],
      ['Documents', `${counts.documents}, of them ${counts.quarantined} withheld in quarantine`],
      ...purposeRows(facts),
      ['Ledger', plain(ledger.origin)],
      ['Checkpoint', `size ${ledger.tree_size}, incarnation ${ledger.incarnation}`],
      ['Root hash', ledger.root_hash],
      ...anchorRows(facts),
      ['Content digest', facts.content_digest],
      ['Signing key', `${facts.signing_key_id} (RFC 7638 thumbprint)`],
      ['Made by', `${plain(generator.name)} ${plain(generator.version)}`],
    ]),
    '',
  ];
}

/** Rows for what held the ledger to its history when the bundle was made. */
function anchorRows({ anchoring, ledger }: CertificateFacts): (readonly [name: string, value: string])[] {
  if (anchoring === undefined) return [];
  const anchors = anchoring.anchors.map(
    ({ kind, name, tree_size, at }) =>
      `${ANCHOR_WORDS[kind]}${name === null ? '' : ` ${plain(name)}`}: size ${tree_size} at ${at}`,
  );
  const { since_size } = anchoring.unanchored;
  return [
    ['Anchors', anchors.length === 0 ? 'none' : anchors.join('; ')],
    ['Unanchored', since_size >= ledger.tree_size ? 'no entry' : `entries from ${since_size} to ${ledger.tree_size}`],
  ];
}

const ANCHOR_WORDS = {
  WITNESS: 'witness',
  TIME_STAMP: 'time-stamp of',
  SIGNER: "the operator's signer",
  FOLDER: "the operator's folder",
} as const;

/** Rows for a bundle with a stated purpose: the purpose, and what the consent of members withholds. */
function purposeRows({ consent }: CertificateFacts): (readonly [name: string, value: string])[] {
  if (consent === undefined) return [];
  const withheld = consent.withheld.map(
    ({ reason, events, documents }) => `${events} events, ${documents} documents (${reason})`,
  );
  return [
    ['Purpose', plain(consent.purpose)],
    ['Not included', withheld.length === 0 ? 'nothing, under the consents of the members' : withheld.join('; ')],
  ];
}

const regularActivity = (): string[] => [
  '2. RECORDS OF A REGULARLY CONDUCTED ACTIVITY - Rule 902(11), Rule 803(6)(A)-(C)',
  '',
  ...wrapped(
    'To be confirmed by the person who signs, for the source systems named in the records: that each record was made at or near the time by, or from information transmitted by, someone with knowledge; that it was kept in the course of a regularly conducted activity of the organisation; and that making it was a regular practice of that activity.',
  ),
  '',
  `   Organisation: ${BLANK}`,
  `   Basis of my knowledge: ${BLANK}`,
  '',
];

const electronicProcess = ({ ledger }: CertificateFacts): string[] => [
  '3. RECORDS GENERATED BY AN ELECTRONIC PROCESS OR SYSTEM - Rule 902(13)',
  '',
  ...wrapped(
    `The records were taken from an append-only ledger. On receipt each event was put into a canonical form (RFC 8785) and stored write-once; a header that commits to it by SHA-256 was linked to the header before it of the same source; and the header's hash became a leaf of one Merkle tree (RFC 6962) for the tenant, whose root is signed in checkpoints. The proofs in this bundle lead from every event to the root hash above, of the checkpoint of size ${ledger.tree_size}. A map of the latest facts of all records is committed as the last entry under that checkpoint; the proofs show what it says of every event and document here, and how many events the log of each member, matter or incident of the scope has. The map proves what the operator committed to; that it follows from the entries is shown by folding all entries, which is done outside of this bundle. A result that differs from the process described would show itself as a hash, a link or a proof that does not verify.`,
  ),
  '',
  ...wrapped(
    'To be confirmed by the person who signs: that the process or system was operating properly when the records were generated, or that any fault did not affect them.',
  ),
  '',
];

function copiedData({ files, counts }: CertificateFacts): string[] {
  return [
    '4. DATA COPIED FROM AN ELECTRONIC DEVICE, STORAGE MEDIUM OR FILE - Rule 902(14)',
    '',
    ...wrapped(
      'The entries of this archive are identified by their SHA-256 values. An entry whose value computed anew equals the one below is, byte for byte, what was sealed. The directory documents/ holds each document under its own SHA-256 value as its name.',
    ),
    '',
    ...files.flatMap(({ path, size, sha256 }) => [`   ${path} (${size} bytes)`, `     ${sha256}`]),
    '',
    ...wrapped(
      `The values can be checked with the programs in verify/, with stock tools as verify/README.txt tells, and for each of the ${counts.documents} documents listed in manifest.json with sha256sum.`,
    ),
    '',
  ];
}

const limits = ({ consent, ledger }: CertificateFacts): string[] => [
  '5. WHAT THE SYSTEM CANNOT SAY',
  '',
  ...wrapped(
    `That what a source system sent was true; that a source system sent everything; who the persons behind identifiers are. Redacted events are commitments: the values shown are those that were recorded. Redacted documents are renditions: other bytes than the original. Disposed records are represented by commitments alone. Whether an event left out is outside of the window, and whether a rewrite of the log before any outside party had seen a checkpoint of it took place: the anchors above are those that the system knew of; a note that another party has kept, a cosignature or a time-stamp shows more. Entries after the last anchor outside, up to size ${ledger.tree_size}, are unanchored. The time of sealing is the clock of the system, unless a time-stamp token (RFC 3161) is produced with the bundle.`,
  ),
  ...(consent === undefined
    ? []
    : wrapped(
        'What the consents of the members, or 42 CFR Part 2, keep from the purpose above is not in the bundle and stands in it as a count alone; whether consent was judged rightly, its hashes do not show.',
      )),
  '',
];

const declaration = (): string[] => [
  '6. DECLARATION - to be completed by a natural person; 28 U.S.C. 1746',
  '',
  ...wrapped(
    'I am a custodian of the records described above, or otherwise qualified, by knowledge, training or experience, to make this certification. I declare under penalty of perjury under the laws of the United States of America that the foregoing, as I have corrected and completed it, is true and correct.',
  ),
  '',
  ...['Name', 'Title', 'Organisation', 'Executed on (date)', 'At (place)', 'Signature'].flatMap((blank) => [
    `   ${`${blank}:`.padEnd(20)} ${BLANK}`,
    '',
  ]),
  'DRAFT - NOT SIGNED',
];

const listed = (rows: readonly (readonly [name: string, value: string])[]): string[] =>
  rows.map(([name, value]) => `   ${`${name}:`.padEnd(16)} ${value}`);

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '  ';
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH) {
      lines.push(line);
      line = '  ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
