import type { DemoClient } from './client.js';

// Invented records for every screen of the console, in addition to events.

interface Made {
  readonly [id: string]: unknown;
}

const NPI = '1234567893';

/** Records of one member, each by the route that makes it. @param eventId the denial. */
const recordsOf = (memberId: string, eventId: string): readonly (readonly [path: string, body: object])[] => [
  [
    '/v1/ai-decisions',
    {
      decision_type: 'UTILIZATION_MANAGEMENT',
      model: { name: 'um-triage', version: '4.2.0', provider: 'Example Models' },
      member_id: memberId,
      event_id: eventId,
      inputs: { request: 'MRI of the knee' },
      output: { label: 'deny' },
      score: 0.91,
      threshold: 0.8,
      recommendation: 'DENY',
      rationale: 'Conservative therapy is not documented.',
      human_review: { required: true },
    },
  ],
  [
    '/v1/appointments',
    {
      member_id: memberId,
      practitioner: { npi: NPI, name: 'Dr. A. Okafor' },
      start: '2026-04-01T09:00:00Z',
      end: '2026-04-01T09:30:00Z',
      service_type: 'PEER_TO_PEER',
      reason: 'Denial of the request.',
    },
  ],
  ['/v1/care-team', { member_id: memberId, role: 'PRIMARY_CARE', npi: NPI, note: 'Orders the study.' }],
  ['/v1/legal-matters', { name: 'Doe v. Demonstration Plan', kind: 'LITIGATION', member_ids: [memberId] }],
  ['/v1/legal-holds', { name: 'Doe', scope: { member_ids: [memberId] }, reason: 'Complaint served.' }],
  ['/v1/webhooks', { url: 'https://receiver.invalid/hook', event_types: ['bundle.*'] }],
  ['/v1/source-feeds', { source_system: 'um-core', expected_interval_seconds: 3_600, grace_seconds: 300 }],
  ['/v1/actors', { name: 'Jordan Reyes, appeals', role_ids: ['analyst'] }],
];

/** Fills a tenant, so that every screen has something to show. @param admin holds the scope `admin`. */
export async function fillConsole(admin: DemoClient, memberId: string, eventId: string): Promise<void> {
  for (const [path, body] of recordsOf(memberId, eventId)) await admin.post<Made>(path, body);
  const form = new FormData();
  const letter = 'The plan denied the study because conservative therapy is not documented.';
  form.append('file', new Blob([letter], { type: 'text/plain' }), 'denial-letter.txt');
  form.append('member_id', memberId);
  form.append('event_ids', eventId);
  form.append('document_type', 'denial_letter');
  await admin.postForm<Made>('/v1/documents', form);
  // A message that cannot be read opens an exception.
  await admin.tryBytes('/v1/ingest/raw?source_system=um-core', Buffer.from('ISA*broken'), 'application/edi-x12');
}
