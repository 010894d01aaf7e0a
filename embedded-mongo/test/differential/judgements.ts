/** Disagreements with SecantusDB 0.7, and which of the two follows MongoDB's manual. */
interface Judgement {
  readonly about: RegExp;
  /** The server that follows MongoDB. */
  readonly right: 'here' | 'there' | 'neither';
  readonly reason: string;
}

const JUDGEMENTS: readonly Judgement[] = [];

/** @returns the judgement of a disagreement; undefined when there is none. */
export function judgementOf(about: string, _here: string, _there: string): Judgement | undefined {
  return JUDGEMENTS.find((one) => one.about.test(about));
}
