/** A part of a verification: what it found, and where the next part begins. */
export interface VerificationPart<Range = unknown, Break = unknown> {
  /** Entries looked at since the beginning. */
  readonly checked: number;
  /** Chains that this part has come to the end of. */
  readonly partitions: readonly Range[];
  readonly breaks: readonly Break[];
  readonly not_checked: readonly NotCheckedPart[];
  /** Null at the end. */
  readonly next_state: string | null;
}

export interface NotCheckedPart {
  readonly what: string;
  readonly why: string;
}

export interface Verdict<Range = unknown, Break = unknown> {
  readonly valid: boolean;
  readonly checked: number;
  readonly partitions: readonly Range[];
  readonly breaks: readonly Break[];
  readonly not_checked: readonly NotCheckedPart[];
}

/** Adds up the parts of a verification, for who asks for it part by part. */
export class VerdictSum<Range, Break> {
  #checked = 0;
  readonly #partitions: Range[] = [];
  readonly #breaks: Break[] = [];
  readonly #notChecked: NotCheckedPart[] = [];

  add(part: VerificationPart<Range, Break>): void {
    this.#checked = part.checked;
    this.#partitions.push(...part.partitions);
    this.#breaks.push(...part.breaks);
    this.#notChecked.push(...part.not_checked);
  }

  verdict(): Verdict<Range, Break> {
    return {
      valid: this.#breaks.length === 0,
      checked: this.#checked,
      partitions: this.#partitions,
      breaks: this.#breaks,
      not_checked: this.#notChecked,
    };
  }
}
