/** A synthetic envelope; `n` makes it unlike any other. */
export function envelope(n: number | string, over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    event_family: 'utilization_management',
    event_type: 'prior_auth.requested',
    member_id: `M-${n}`,
    source_system: 'um-core',
    source_record_id: `PA-${n}`,
    event_effective_timestamp: '2026-03-02T14:11:09.123Z',
    outcome: 'SUBMITTED',
    payload: {
      service: 'MRI of the knee',
      procedure_codes: ['73721'],
      diagnosis_codes: ['M25.561'],
      program: 'Commercial',
    },
    ...over,
  };
}
