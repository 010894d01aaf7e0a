import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { sniffFormat } from '../../../subgraphs/ledger/formats/domain.js';
import { adapterFor, DEFAULT_ADAPTER_LIMITS } from '../../../subgraphs/ledger/formats/index.js';

// Synthetic files that contain every shape of message of the public samples, so that a checkout without ../shared tests
// each shape too. Each line of an expectation: family, event type, outcome, member (`-` for none).

const MEMBER = 'SYN1001';
const shape = (family: string, ...events: readonly string[]): string[] =>
  events.map((event) => {
    const [type, outcome, member = MEMBER] = event.split(' ');
    return [family, type, outcome, member].join(' ');
  });

const SHAPES: readonly { format: string; file: string; events: readonly string[] }[] = [
  {
    format: 'hl7v2',
    file: 'hl7v2/fixtures/shapes.hl7',
    events: [
      ...shape('encounter', 'register recorded', 'discharge recorded'),
      ...shape('member', 'update recorded'),
      ...shape('document', 'document_notified pended', 'document_updated recorded'),
      ...shape('appointment', 'booked scheduled', 'rescheduled scheduled', 'no_show no_show'),
      ...shape('clinical', 'order_status_changed recorded', 'drug_dispensed recorded'),
      ...shape('prior_authorization', 'referral_changed submitted'),
      ...shape('clinical', 'result_reported recorded', 'result_reported recorded'),
      ...shape('clinical', 'result_reported recorded', 'immunization_given recorded'),
      ...shape('clinical', 'immunization_refused recorded', 'immunization_deleted cancelled'),
      ...shape('appointment', 'changed scheduled', 'cancelled cancelled', 'discontinued cancelled'),
      ...shape('appointment', 'deleted cancelled', 'slots_blocked recorded', 'slots_opened recorded'),
      ...shape('document', 'document_cancelled cancelled'),
      ...shape('claim', 'charge_posted submitted', 'charge_posted submitted'),
    ],
  },
  {
    format: 'fhir',
    file: 'fhir/fixtures/shapes.ndjson',
    events: [
      ...shape('remittance', 'claim_adjudicated paid', 'claim_adjudicated partially_paid'),
      ...shape('prior_authorization', 'authorization_decided approved', 'authorization_decided denied'),
      ...shape('prior_authorization', 'authorization_decided pended'),
      ...shape('claim', 'claim_submitted submitted'),
      ...shape('prior_authorization', 'authorization_requested submitted', 'authorization_revision submitted'),
      ...shape('eligibility', 'eligibility_reported active', 'eligibility_reported error'),
      ...shape('encounter', 'encounter_recorded recorded', 'encounter_recorded active', 'encounter_recorded scheduled'),
      ...shape('clinical', 'order_placed active', 'order_placed recorded', 'order_cancelled cancelled'),
      ...shape('clinical', 'observation_recorded recorded', 'observation_recorded cancelled'),
      ...shape('document', 'document_referenced recorded'),
      ...shape('clinical', 'condition.active active', 'condition.refuted cancelled'),
      ...shape('clinical', 'procedure.completed recorded', 'procedure.not-done cancelled'),
      ...shape('clinical', 'medication_request.active active', 'diagnostic_report.final recorded'),
      ...shape('clinical', 'care_plan.active active', 'questionnaire_response.completed recorded'),
      ...shape('clinical', 'task.requested submitted', 'communication_request.active active'),
      ...shape('member', 'member_updated recorded'),
    ],
  },
  {
    format: 'ncpdp',
    file: 'ncpdp/fixtures/shapes.xml',
    events: shape(
      'pharmacy',
      'new_rx submitted',
      'cancel_rx submitted',
      'cancel_rx_response denied -',
      'rx_change_request submitted',
      'rx_change_response approved',
      'rx_renewal_request submitted',
      'rx_renewal_response approved',
      'rx_renewal_response denied',
      'status accepted -',
      'status unknown -',
      'error error -',
    ),
  },
  {
    format: 'ncpdp',
    file: 'ncpdp/fixtures/shapes.ncpdp',
    events: shape(
      'pharmacy',
      'claim_submitted submitted',
      'claim_adjudicated paid',
      'claim_submitted submitted',
      'claim_adjudicated denied',
      'claim_adjudicated rejected -',
      'claim_reversal_requested submitted',
      'reversal_decided approved',
      'claim_submitted submitted',
      'claim_adjudicated paid',
    ),
  },
];

async function* chunksOf(body: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes);
}

/** Reads a body and returns its events as in SHAPES, and the codes of its rejected parts. */
async function read(
  format: string,
  body: Buffer,
  chunkBytes: number,
): Promise<{ events: string[]; rejected: string[] }> {
  const events: string[] = [];
  const rejected: string[] = [];
  const options = { strict: false, receivedAt: '2026-04-02T00:00:00.000Z', limits: DEFAULT_ADAPTER_LIMITS };
  for await (const item of adapterFor(format)?.read(chunksOf(body, chunkBytes), options) ?? []) {
    if (item.kind === 'refused') rejected.push(item.code);
    if (item.kind !== 'event') continue;
    const { event_family, event_type, outcome, member_id = '-' } = item.envelope;
    events.push([event_family, event_type, outcome, member_id].join(' '));
  }
  return { events, rejected };
}

describe.each(SHAPES)('$file', ({ format, file, events }) => {
  const body = readFileSync(repositoryFile(`test/ledger/formats/${file}`));

  it(`is detected as ${format}`, () => {
    expect(sniffFormat(body)).toBe(format);
  });

  it.each([body.length, 97])('yields the events of each message, in chunks of %i bytes', async (chunkBytes) => {
    expect(await read(format, body, chunkBytes)).toEqual({ events, rejected: [] });
  });
});
