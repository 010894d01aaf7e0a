/** The service asks again until it succeeds or gives up. */
export const STAMP_STATUSES = ['PENDING', 'OBTAINED', 'GIVEN_UP'] as const;
export type StampStatus = (typeof STAMP_STATUSES)[number];

/** The stored fields of a time-stamp, or of the pending work. */
export interface StampFields {
  readonly status: StampStatus;
  readonly attempts: number;
  readonly last_error: string | null;
  /** Hex. */
  readonly message_imprint: string | null;
  readonly gen_time: string | null;
  readonly serial: string | null;
  readonly policy: string | null;
  readonly authority: string | null;
  /** TimeStampResp, base64. */
  readonly reply: string | null;
}

export const PENDING_STAMP: StampFields = {
  status: 'PENDING',
  attempts: 0,
  last_error: null,
  message_imprint: null,
  gen_time: null,
  serial: null,
  policy: null,
  authority: null,
  reply: null,
};
