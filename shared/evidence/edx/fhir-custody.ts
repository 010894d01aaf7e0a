import type { JsonObject } from '../../json/strict-json.js';
import type { ExportRecord } from './export-record.js';
import type { ExportSource } from './export-source.js';
import type { TraceRow } from './trace-rows.js';

// FHIR R4: an AuditEvent for every act of custody (hl7.org/fhir/R4/auditevent.html), a Provenance for the bundle with its
// signature and one for each document (hl7.org/fhir/R4/provenance.html). Records are named by identifier: they are in no
// FHIR server.

const IDENTIFIERS = 'urn:evidentiary-audit-service';
const LIFECYCLE = 'http://terminology.hl7.org/CodeSystem/iso-21089-lifecycle';
const PARTICIPANT_TYPE = 'http://terminology.hl7.org/CodeSystem/provenance-participant-type';
const OBJECT_ROLE = 'http://terminology.hl7.org/CodeSystem/object-role';
const PROOF_OF_ORIGIN = {
  system: 'urn:iso-astm:E1762-95:2013',
  code: '1.2.840.10065.1.12.1.14',
  display: 'Source Signature',
};
/** Code of the object role "Domain Resource": what an act was about. */
const DOMAIN_RESOURCE = '4';

/** By action: the lifecycle event of ISO 21089 and the kind of act (C, R, U, D, E of value set audit-event-action). */
const ACTS: Readonly<Record<string, readonly [lifecycle: string, action: string]>> = {
  READ_CONTENT: ['access', 'R'],
  READ_RAW: ['access', 'R'],
  READ_TIMELINE: ['access', 'R'],
  READ_MEMBER_RECORD: ['access', 'R'],
  READ_DISCLOSURES: ['access', 'R'],
  INSPECTED: ['access', 'R'],
  DOWNLOAD_BUNDLE: ['extract', 'R'],
  EXPORT_EDX: ['extract', 'R'],
  SHARE: ['disclose', 'E'],
  UNSHARE: ['deprecate', 'U'],
  COPIED: ['extract', 'R'],
  UPLOAD: ['receive', 'C'],
  RECEIVED: ['receive', 'C'],
  RELEASE: ['reactivate', 'U'],
  REJECT: ['deprecate', 'U'],
  REDACT: ['deidentify', 'U'],
  HOLD: ['hold', 'U'],
  UNHOLD: ['unhold', 'U'],
  NOTIFY: ['transmit', 'E'],
  ACKNOWLEDGE: ['attest', 'E'],
  WITHDRAW: ['deprecate', 'U'],
  DISPOSE: ['destroy', 'D'],
  DESTROYED: ['destroy', 'D'],
  TRANSFERRED: ['transmit', 'E'],
  RETURNED: ['transmit', 'E'],
  DISCLOSED: ['disclose', 'R'],
  NOTED: ['attest', 'E'],
  INTEGRITY_FAILURE: ['verify', 'E'],
};
/** An action of the system partition: the service keeping its own books. */
const SYSTEM_ACT = ['archive', 'E'] as const;
/** AuditEvent.outcome: success, and a serious failure. */
const SUCCESS = '0';
const SERIOUS_FAILURE = '8';

const named = (kind: string, value: string): JsonObject => ({
  identifier: { system: `${IDENTIFIERS}:${kind.toLowerCase()}`, value },
});

/** An identifier of FHIR: letters, digits, `-` and `.`, 64 at most. */
const fhirId = (text: string): string => text.replace(/[^A-Za-z0-9.-]/g, '-').slice(0, 64);

/** The resources, one by one. Appends to the ledger are no acts on a record: they stand in the load files. */
export async function* fhirResources(source: ExportSource): AsyncGenerator<JsonObject> {
  yield bundleProvenance(source);
  if (source.head.counts.documents > 0) {
    for await (const record of source.records()) {
      if (record.record_kind === 'DOCUMENT') yield documentProvenance(source, record);
    }
  }
  for await (const row of source.trace()) {
    if (row.kind !== 'LEDGER') yield auditEvent(row);
  }
}

function bundleProvenance({ head, signature }: ExportSource): JsonObject {
  const service = { display: `${head.generator.name} ${head.generator.version}` };
  return {
    resourceType: 'Provenance',
    id: fhirId(head.bundle_id),
    target: [named('bundle', head.bundle_id)],
    occurredDateTime: head.sealed_at,
    recorded: head.sealed_at,
    activity: { coding: [{ system: LIFECYCLE, code: 'originate' }] },
    agent: [
      { type: { coding: [{ system: PARTICIPANT_TYPE, code: 'assembler' }] }, who: service },
      { type: { coding: [{ system: PARTICIPANT_TYPE, code: 'author' }] }, who: { display: head.requested_by } },
    ],
    entity: [{ role: 'source', what: named('ledger-root', head.ledger.root_hash) }],
    signature: [
      {
        type: [PROOF_OF_ORIGIN],
        when: head.sealed_at,
        who: named('signing-key', head.signing_key_id),
        targetFormat: 'application/json',
        sigFormat: 'application/octet-stream',
        data: signature.toString('base64'),
      },
    ],
  };
}

const documentProvenance = ({ head }: ExportSource, record: ExportRecord): JsonObject => ({
  resourceType: 'Provenance',
  id: fhirId(record.control_number),
  target: [named('document', record.record_id)],
  recorded: head.sealed_at,
  activity: { coding: [{ system: LIFECYCLE, code: 'archive' }], text: record.state },
  agent: [
    {
      type: { coding: [{ system: PARTICIPANT_TYPE, code: 'assembler' }] },
      who: { display: `${head.generator.name} ${head.generator.version}` },
    },
  ],
  entity: [
    { role: 'source', what: named('bundle', head.bundle_id) },
    ...record.referenced_by.map((eventId) => ({ role: 'derivation', what: named('event', eventId) })),
  ],
});

function auditEvent(row: TraceRow): JsonObject {
  const action = row.action ?? 'UNKNOWN';
  const [lifecycle, kind] = ACTS[action] ?? SYSTEM_ACT;
  return {
    resourceType: 'AuditEvent',
    id: fhirId(`${row.partition ?? 'entry'}-${row.seq ?? row.n ?? '0'}`.replace(/^_/, '')),
    type: { system: LIFECYCLE, code: lifecycle },
    subtype: [{ system: `${IDENTIFIERS}:custody-action`, code: action }],
    action: kind,
    recorded: row.at ?? '',
    outcome: action === 'INTEGRITY_FAILURE' ? SERIOUS_FAILURE : SUCCESS,
    ...(row.purpose === undefined ? {} : { purposeOfEvent: [{ text: row.purpose }] }),
    agent: [
      { who: named(row.actor_type ?? 'service', row.actor_id ?? 'service'), requestor: true },
      ...(row.recipient === undefined ? [] : [{ who: { display: row.recipient }, requestor: false }]),
    ],
    source: { observer: { display: 'Evidentiary Audit Service' } },
    entity: [
      {
        what: named(row.subject_type ?? 'record', row.subject_id ?? 'unknown'),
        role: { system: OBJECT_ROLE, code: DOMAIN_RESOURCE },
        ...detailsOf(row),
      },
    ],
  };
}

function detailsOf(row: TraceRow): JsonObject {
  const detail = (['entry_hash', 'prev_hash', 'sha256_before', 'sha256_after'] as const).flatMap((type) => {
    const valueString = row[type];
    return valueString === undefined ? [] : [{ type, valueString }];
  });
  return detail.length === 0 ? {} : { detail };
}
