/** Why a part of the body gives no event. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** The transaction's type, or `transmission`, `message`, `bytes`. */
  readonly item: string;
  readonly exceptionKind?: 'PARSE_FAILED';
  readonly segment?: string;
}
