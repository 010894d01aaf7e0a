/** Control numbers of the answers that one tenant gives: each once, in a row, so that a receiver may count them. */
export interface AcknowledgementNumbers {
  /** Takes `count` numbers that follow one another, and gives the first; from 1 to HIGHEST_NUMBER, then from 1 again. */
  take(format: string, count: number): Promise<number>;
}

/** X12 control numbers have nine digits. */
export const HIGHEST_NUMBER = 999_999_999;
