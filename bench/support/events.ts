/** Makes envelopes of about 1 KB, the size of a mapped claim; `n` makes each unique. */
export function benchEnvelope(n: number, sourceSystem: string): Record<string, unknown> {
  const line = (l: number) => ({
    number: l,
    procedure: '99213',
    modifiers: ['25'],
    charge: '180.00',
    units: '1',
    service_date: '2026-02-25',
  });
  return {
    event_family: 'claim',
    event_type: 'claim_submitted',
    member_id: `M-${n % 5000}`,
    source_system: sourceSystem,
    source_record_id: `CLM-${n}`,
    event_effective_timestamp: new Date(1_767_225_600_000 + n * 1000).toISOString(),
    outcome: 'submitted',
    payload: {
      service: 'Office or other outpatient visit',
      procedure_codes: ['99213', '72148'],
      diagnosis_codes: ['M54.16', 'E11.9'],
      jurisdiction: 'US-NY',
      program: 'Commercial',
      carc: [],
      rationale: 'Synthetic record of the benchmark; no person is described by it.',
      lines: [line(1), line(2)],
      payer: { name: 'Summit Health Plan', id: 'SUMMIT01' },
      filler: 'x'.repeat(120),
    },
  };
}
