import { sha256Hex } from '../../shared/crypto/hash.js';
import type { ManifestScope } from '../../shared/evidence/bundle/manifest.js';
import type { FactKind } from '../../shared/facts/fact.js';
import { FACT_PARTITIONS } from '../../shared/facts/fact.js';
import type { JsonObject } from '../../shared/json/strict-json.js';
import type { Act } from './make-ledger.js';

// Acts of the service, as its own areas write them.

export const eventIdAt = (index: number): string => `evt_${String(index).padStart(26, '0')}`;
export const documentIdOf = (content: Uint8Array): string => `doc_${sha256Hex(content).slice(0, 8)}`;

/** Custody of an event. `subjects` and `member_ids` name records outside the bundle, and stay hidden. */
export const custodyAct = (eventId: string, members: JsonObject = {}): Act => ({
  source_system: '_custody',
  event_family: 'custody',
  event_type: 'READ_RAW',
  source_record_id: `cus_${eventId}`,
  payload: {
    recorded: 'AUTOMATIC',
    subject: { kind: 'EVENT', id: eventId },
    actor: { type: 'ACTOR', id: 'tab\there' },
    purpose: '-',
    recipient: 'counsel@example.org',
    ...members,
  },
});

const factAct = (kind: FactKind, id: string, event_type: string, state: JsonObject, members: JsonObject = {}): Act => ({
  source_system: FACT_PARTITIONS[kind] as Act['source_system'],
  event_family: kind,
  event_type,
  source_record_id: `${kind}/${id}`,
  payload: {
    fact: 'eas.fact/v2',
    subject: { kind, id },
    action: event_type,
    actor: { type: 'SERVICE', id: 'service:test' },
    previous: null,
    state,
    row: { set: { secret: 'another member' } },
    ...members,
  },
});

export const disposalAct = (eventId: string): Act =>
  factAct('disposal', eventId, 'record.disposed', {
    disposal_id: 'dsp_1',
    at: '2026-03-02T20:00:00.000Z',
    policies: [],
  });

export const redactionAct = (eventId: string, redaction_id: string): Act =>
  factAct('event-redaction', eventId, 'redaction.applied', { redaction_id, ordinal: 1, pointers: ['/payload'] });

export const documentAct = (id: string, content: Uint8Array | string, status = 'AVAILABLE'): Act =>
  factAct('document', id, 'document.stored', {
    status,
    revision: 1,
    sha256: sha256Hex(content),
    size: content.length,
    media_type: 'application/pdf',
    title: 'A title that stays hidden',
  });

export const renditionAct = (id: string, redaction_id: string, content: Uint8Array): Act =>
  factAct('document-redaction', id, 'redaction.applied', {
    ordinal: 1,
    rendition: { redaction_id, sha256: sha256Hex(content), size: content.length, title: 'hidden' },
  });

export const sealingAct = (bundleId: string, scope: ManifestScope, details: JsonObject): Act => {
  const { member_ids: _, ...requested } = scope;
  const state = { status: 'REQUESTED', scope: { ...requested }, requested_by: 'hidden' };
  return factAct('bundle', bundleId, 'bundle.sealing', state, details);
};

/** An entry of `_system` that is no fact. */
export const segmentAct = (): Act => ({
  source_system: '_system',
  event_family: 'segments',
  event_type: 'segment.sealed',
  source_record_id: 'seg_1',
  payload: { segment: 'seg_1', count: 3 },
});
