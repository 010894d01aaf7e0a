/** What holds a ledger to its history. CALLER and WITNESS are outside of this machine. */
export interface LedgerAnchor {
  readonly kind: 'CALLER' | 'WITNESS' | 'SIGNER' | 'FOLDER';
  /** Of a witness. */
  readonly name: string | null;
  readonly tree_size: number;
  /** Time of the note; of the request for the caller's. */
  readonly at: string;
}

export interface LedgerAnchoring {
  /** True if one of them is outside of this machine. */
  readonly is_anchored: boolean;
  readonly anchors: readonly LedgerAnchor[];
  /** Leaves from here on are under no anchor outside; `since` is null without such an anchor. */
  readonly unanchored: { readonly since_size: number; readonly since: string | null };
}

export const LEDGER_VERDICTS = ['VALID', 'VALID_UNANCHORED', 'INVALID'] as const;

const NO_ANCHORS: LedgerAnchoring = {
  is_anchored: false,
  anchors: [],
  unanchored: { since_size: 0, since: null },
};

/** A part of a verification: what it found, and where the next part begins. */
export interface VerificationPart<Range = unknown, Break = unknown> {
  /** Entries looked at since the beginning. */
  readonly checked: number;
  /** Chains that this part has come to the end of. */
  readonly partitions: readonly Range[];
  readonly breaks: readonly Break[];
  readonly not_checked: readonly NotCheckedPart[];
  /** Of the last part of a verification of the whole ledger. */
  readonly anchoring: LedgerAnchoring | null;
  /** Null at the end. */
  readonly next_state: string | null;
}

export interface NotCheckedPart {
  readonly what: string;
  readonly why: string;
}

export interface Verdict<Range = unknown, Break = unknown> {
  readonly valid: boolean;
  readonly verdict: (typeof LEDGER_VERDICTS)[number];
  readonly anchors: readonly LedgerAnchor[];
  readonly unanchored: LedgerAnchoring['unanchored'];
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
  #anchoring: LedgerAnchoring = NO_ANCHORS;

  add(part: VerificationPart<Range, Break>): void {
    this.#checked = part.checked;
    this.#partitions.push(...part.partitions);
    this.#breaks.push(...part.breaks);
    this.#notChecked.push(...part.not_checked);
    this.#anchoring = part.anchoring ?? this.#anchoring;
  }

  verdict(): Verdict<Range, Break> {
    const { is_anchored, anchors, unanchored } = this.#anchoring;
    const valid = this.#breaks.length === 0;
    return {
      valid,
      verdict: valid ? (is_anchored ? 'VALID' : 'VALID_UNANCHORED') : 'INVALID',
      anchors,
      unanchored,
      checked: this.#checked,
      partitions: this.#partitions,
      breaks: this.#breaks,
      not_checked: this.#notChecked,
    };
  }
}
