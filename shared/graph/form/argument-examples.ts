import type { JsonValue } from '../../json/strict-json.js';
import type { ContractExtension } from '../contract-field.js';

// Examples of arguments that declare none. An argument has one meaning under one name, except those of `OF_FIELD`.

const ULID = '01JQ0000000000000000000001';
const SHA256 = 'a3'.repeat(32);

const OF_NAME: Readonly<Record<string, JsonValue>> = {
  actor: `act_${ULID}`,
  actor_id: `act_${ULID}`,
  address: '203.0.113.7',
  against: 'bdl_01JQ0000000000000000000002',
  appointment_id: `apt_${ULID}`,
  assigned_to: `act_${ULID}`,
  bundle_id: `bdl_${ULID}`,
  byte_sizes: [512],
  care_team_id: `ctm_${ULID}`,
  checkpoint_id: `chk_${ULID}`,
  client_address: '203.0.113.7',
  code: 'ICD10CM/E11.9',
  connector_id: `con_${ULID}`,
  consent_id: `cns_${ULID}`,
  content_type: 'application/edi-x12',
  converted_from: 'IBM037',
  cursor: 'WzE3NzI0NjA2NjkwMDAsImV2dF8wMSJd',
  data_right_id: `drt_${ULID}`,
  decision_id: `aid_${ULID}`,
  delivery_id: `dlv_${ULID}`,
  document_id: `doc_${ULID}`,
  document_type: 'DENIAL_LETTER',
  email: 'pat@example.com',
  event_id: `evt_${ULID}`,
  exception_id: `exc_${ULID}`,
  extra: { note: 'urgent' },
  feed_id: `fed_${ULID}`,
  filename: 'denial-letter.pdf',
  first: 1_000,
  from_sequence: 1,
  hold_id: `hld_${ULID}`,
  identifier: 'SUB-1001',
  incident_id: 'INC-2026-004',
  ingest_id: `ing_${ULID}`,
  item: { event_family: 'claim' },
  items: [{ event_family: 'claim' }],
  jurisdiction: 'US-CA',
  key: 'new-timeline',
  key_id: `key_${ULID}`,
  known_root: SHA256,
  known_size: 1_000,
  lead_id: `led_${ULID}`,
  link_id: `bln_${ULID}`,
  matter_id: `mat_${ULID}`,
  media_type: 'application/pdf',
  member_id: 'M-1001',
  model_name: 'triage',
  model_version: '2.1.0',
  name: 'Claims import',
  notice_id: `hnt_${ULID}`,
  owner: 'appeals-team',
  phone: '+1 555 0100',
  practitioner: '1234567893',
  program: 'Medicare',
  purpose: 'TREATMENT',
  raw_sha256: SHA256,
  recommendation: 'REFER',
  redaction_id: `rdx_${ULID}`,
  refresh_token: 'the refresh_token of the last answer',
  request_id: `avr_${ULID}`,
  revision: 2,
  role_id: `rol_${ULID}`,
  rule_id: `rul_${ULID}`,
  second: 2_000,
  session_id: `ses_${ULID}`,
  sha256: SHA256,
  source: 'website',
  source_system: 'um-core',
  state: 'the next_state of the last answer',
  subject_id: `evt_${ULID}`,
  subject_kind: 'EVENT',
  tag: 'appeal',
  tenant_id: 'acme-health',
  to_sequence: 1_000,
  token: 'the access_token of the last answer',
  url: 'https://example.com/hooks',
  view_id: `svw_${ULID}`,
  volume: 1,
  webhook_id: `whk_${ULID}`,
};

/** By `field.argument`. */
const OF_FIELD: Readonly<Record<string, JsonValue>> = {
  'activateSigningKey.key_id': `sgk_${ULID}`,
  'retireSigningKey.key_id': `sgk_${ULID}`,
  'revokeSigningKey.key_id': `sgk_${ULID}`,
  'signingKey.key_id': `sgk_${ULID}`,
  'planAppointment.action': 'book',
  'stepAppointment.action': 'cancel',
  'stepCareTeamEntry.action': 'end',
  'aiDecisionExport.format': 'fhir',
  'ingestRaw.format': 'x12',
  'previewRaw.content': 'TVNIfF5+XCZ8',
  'previewRaw.format': 'hl7v2',
  'rules.key': 'mri-knee',
};

const INSTANT = '2026-03-02T00:00:00Z';
const OF_FORMAT: Readonly<Partial<Record<NonNullable<ContractExtension['format']>, string>>> = {
  'date-time': INSTANT,
  date: '2026-03-02',
};

/** Returns an example of an argument: the declared one, a word of a closed list, or one of its format or name. */
export function argumentExample(field: string, name: string, declared: ContractExtension = {}): JsonValue | undefined {
  const { example, enum: words, format } = declared;
  if (example !== undefined) return example;
  if (words?.[0] !== undefined) return words[0];
  const formatted = format === undefined ? undefined : OF_FORMAT[format];
  if (formatted !== undefined) return formatted;
  const named = OF_FIELD[`${field}.${name}`] ?? OF_NAME[name];
  return named ?? (name === 'from' || name === 'to' ? INSTANT : undefined);
}
